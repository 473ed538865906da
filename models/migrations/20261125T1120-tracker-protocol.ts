import { Migration } from '@mikro-orm/migrations';
import { numberedTenantRow, tenantTable, timestamps } from './table-policies.js';

const OF_EXPERIMENT =
  'foreign key (tenant_id, experiment) references tracker_experiment (tenant_id, id) on delete cascade';
const OF_RUN = 'foreign key (tenant_id, run) references tracker_run (tenant_id, id) on delete cascade';
const OF_LOGGED_MODEL =
  'foreign key (tenant_id, model) references logged_model (tenant_id, id) on delete cascade';
const OF_MODEL = 'foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade';

/** What MLflow's clients keep beside runs: tags of experiments, datasets, logged models, labels of registered models. */
export class TrackerProtocol extends Migration {
  override up(): void {
    this.experimentTags();
    this.datasets();
    this.loggedModels();
    this.loggedModelContents();
    this.registeredModels();
  }

  private experimentTags(): void {
    this.addSql(`create table experiment_tag (
      experiment bigint not null,
      key text not null check (char_length(key) between 1 and 250),
      value text not null check (char_length(value) <= 5000),
      tenant_id uuid not null,
      primary key (experiment, key),
      ${OF_EXPERIMENT})`);
    this.addSql(tenantTable('experiment_tag'));
  }

  private datasets(): void {
    this.addSql(`create table tracker_dataset (${numberedTenantRow('tracker_dataset')},
      experiment bigint not null,
      name text not null check (char_length(name) between 1 and 500),
      digest text not null check (char_length(digest) between 1 and 36),
      source_type text not null,
      source text not null,
      schema text,
      profile text,
      created_at timestamptz not null default now(),
      unique (tenant_id, experiment, name, digest),
      ${OF_EXPERIMENT})`);
    this.addSql(tenantTable('tracker_dataset'));
    this.addSql(`create table run_dataset (
      run bigint not null,
      dataset bigint not null,
      tags jsonb not null default '{}',
      tenant_id uuid not null,
      primary key (run, dataset),
      ${OF_RUN},
      foreign key (tenant_id, dataset) references tracker_dataset (tenant_id, id) on delete cascade)`);
    this.addSql('create index run_dataset_dataset_idx on run_dataset (tenant_id, dataset)');
    this.addSql(tenantTable('run_dataset'));
  }

  private loggedModels(): void {
    this.addSql(`create table logged_model (${numberedTenantRow('logged_model')},
      model_id text not null unique check (model_id ~ '^m-[0-9a-f]{32}$'),
      experiment bigint not null,
      source_run_id text,
      name text not null check (char_length(name) between 1 and 500),
      model_type text,
      status text not null default 'PENDING' check (status in ('PENDING', 'READY', 'UPLOAD_FAILED')),
      lifecycle text not null default 'active' check (lifecycle in ('active', 'deleted')),
      params jsonb not null default '{}',
      tags jsonb not null default '{}',
      created_by uuid,
      ${timestamps},
      ${OF_EXPERIMENT})`);
    this.addSql(`create index logged_model_experiment_idx
      on logged_model (tenant_id, experiment, created_at desc, id desc)`);
    this.addSql('create index logged_model_run_idx on logged_model (tenant_id, source_run_id)');
    this.addSql(tenantTable('logged_model'));
  }

  private loggedModelContents(): void {
    this.addSql(`create table logged_model_metric (
      model bigint not null,
      key text not null check (char_length(key) between 1 and 250),
      run bigint not null,
      step bigint not null,
      ts bigint not null,
      value float8 not null,
      dataset_name text not null,
      dataset_digest text not null,
      tenant_id uuid not null,
      primary key (model, key, run, step, ts, dataset_name, dataset_digest),
      ${OF_LOGGED_MODEL}, ${OF_RUN})`);
    this.addSql('create index logged_model_metric_run_idx on logged_model_metric (tenant_id, run)');
    this.addSql(tenantTable('logged_model_metric'));
    this.addSql(`create table logged_model_artifact (
      model bigint not null,
      path text collate "C" not null check (char_length(path) between 1 and 512),
      size_bytes bigint not null check (size_bytes >= 0),
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      object_key text not null unique,
      tenant_id uuid not null,
      ${timestamps},
      primary key (model, path),
      ${OF_LOGGED_MODEL})`);
    this.addSql(tenantTable('logged_model_artifact'));
    // What a run read or made.
    this.addSql(`create table run_model (
      run bigint not null,
      direction text not null check (direction in ('input', 'output')),
      model bigint not null,
      step bigint not null default 0,
      tenant_id uuid not null,
      primary key (run, direction, model),
      ${OF_RUN}, ${OF_LOGGED_MODEL})`);
    this.addSql('create index run_model_model_idx on run_model (tenant_id, model)');
    this.addSql(tenantTable('run_model'));
  }

  private registeredModels(): void {
    this.addSql(`create table model_tag (
      model_id uuid not null,
      key text not null check (char_length(key) between 1 and 250),
      value text not null check (char_length(value) <= 5000),
      tenant_id uuid not null,
      primary key (model_id, key),
      ${OF_MODEL})`);
    this.addSql(tenantTable('model_tag'));
    this.addSql(`create table model_version_tag (
      version_id uuid not null,
      key text not null check (char_length(key) between 1 and 250),
      value text not null check (char_length(value) <= 100000),
      tenant_id uuid not null,
      primary key (version_id, key),
      foreign key (tenant_id, version_id) references model_version (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('model_version_tag'));
    this.addSql(`create table model_alias (
      model_id uuid not null,
      alias text not null check (char_length(alias) between 1 and 255),
      version int not null,
      tenant_id uuid not null,
      primary key (model_id, alias),
      foreign key (tenant_id, model_id, version)
        references model_version (tenant_id, model_id, version) on delete cascade)`);
    this.addSql(tenantTable('model_alias'));
  }
}
