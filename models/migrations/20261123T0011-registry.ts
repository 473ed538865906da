import { Migration } from '@mikro-orm/migrations';
import { CURRENT_TENANT, searchFunction, tenantColumns, tenantTable, timestamps } from './table-policies.js';

const STAGES = "'None', 'Staging', 'Production', 'Archived'";

export class RegistryBaseline extends Migration {
  override up(): void {
    this.models();
    this.versions();
    this.files();
    this.stageChanges();
    this.search();
  }

  private models(): void {
    this.addSql(`create table model (${tenantColumns('model')},
      name text not null check (char_length(name) between 1 and 128),
      -- Numbers are never given twice, not even after the highest version is gone.
      last_version int not null default 0 check (last_version >= 0),
      created_by uuid,
      ${timestamps},
      constraint model_name_key unique (tenant_id, name))`);
    this.addSql('create index model_created_idx on model (tenant_id, created_at, id)');
    this.addSql('create index model_updated_idx on model (tenant_id, updated_at, id)');
    this.addSql('create index model_text_idx on model using gin (tenant_id, name gin_trgm_ops)');
    this.addSql(tenantTable('model'));
  }

  private versions(): void {
    this.addSql(`create table model_version (${tenantColumns('model_version')},
      model_id uuid not null,
      version int not null check (version > 0),
      stage text not null default 'None' check (stage in (${STAGES})),
      run_id text not null,
      experiment_id text,
      training_experiment_id uuid,
      dataset_key text,
      dataset_digest text,
      task text,
      framework text,
      metrics jsonb not null default '{}',
      size_bytes bigint not null check (size_bytes >= 0),
      description text,
      registration_key text,
      created_by uuid,
      ${timestamps},
      unique (tenant_id, model_id, version),
      constraint model_version_registration_key unique (tenant_id, registration_key),
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade)`);
    // One version in Production at any time.
    this.addSql(`create unique index model_version_production_key on model_version (tenant_id, model_id)
      where stage = 'Production'`);
    this.addSql('create index model_version_run_idx on model_version (tenant_id, run_id)');
    this.addSql(tenantTable('model_version'));
  }

  private files(): void {
    // The version's own list: what a run logs later does not change a registered version.
    this.addSql(`create table model_version_file (
      tenant_id uuid not null references tenant (id) on delete restrict,
      version_id uuid not null,
      path text collate "C" not null,
      size_bytes bigint not null check (size_bytes >= 0),
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      object_key text not null,
      primary key (tenant_id, version_id, path),
      foreign key (tenant_id, version_id) references model_version (tenant_id, id) on delete cascade)`);
    this.addSql('create index model_version_file_object_idx on model_version_file (tenant_id, object_key)');
    this.addSql(tenantTable('model_version_file'));
  }

  private stageChanges(): void {
    // Outlives the version: it answers who was in Production at a time. Gone with the model.
    this.addSql(`create table model_stage_change (${tenantColumns('model_stage_change')},
      model_id uuid not null,
      version int not null,
      from_stage text not null check (from_stage in (${STAGES})),
      to_stage text not null check (to_stage in (${STAGES})),
      reason text,
      actor_id uuid,
      actor_name text,
      at timestamptz not null default clock_timestamp(),
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade)`);
    this.addSql('create index model_stage_change_model_idx on model_stage_change (tenant_id, model_id, at)');
    this.addSql(tenantTable('model_stage_change', ['select', 'insert', 'delete']));
  }

  private search(): void {
    this.addSql(`create function search_model(pattern text) returns setof uuid
      language sql stable security definer set search_path = public, pg_temp as $$
      select id from model where tenant_id = ${CURRENT_TENANT} and name ilike pattern $$`);
    this.addSql(searchFunction('model', 'search_model(text)'));
  }
}
