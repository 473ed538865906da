import { Migration } from '@mikro-orm/migrations';
import { tenantTable, timestamps } from './table-policies.js';

/**
 * Short sequence ids instead of UUIDs: they stand in every metric row. Still unique together with the
 * tenant.
 */
const numberedTenantRow = (table: string): string => `
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenant (id) on delete restrict,
  constraint ${table}_tenant_id_key unique (tenant_id, id)`;

const OF_RUN = 'foreign key (tenant_id, run) references tracker_run (tenant_id, id) on delete cascade';

export class TrackerBaseline extends Migration {
  override up(): void {
    this.experimentsAndRuns();
    this.metrics();
    this.describing();
  }

  private experimentsAndRuns(): void {
    this.addSql(`create table tracker_experiment (${numberedTenantRow('tracker_experiment')},
      project text not null check (char_length(project) between 1 and 250),
      name text not null check (char_length(name) between 1 and 500),
      lifecycle text not null default 'active' check (lifecycle in ('active', 'deleted')),
      created_by uuid,
      ${timestamps},
      unique (tenant_id, project, name))`);
    this.addSql(tenantTable('tracker_experiment'));
    // A run of a training attempt accepts that attempt's job token while is_job_open holds.
    this.addSql(`create table tracker_run (${numberedTenantRow('tracker_run')},
      run_id text not null unique check (run_id ~ '^[0-9a-f]{32}$'),
      experiment bigint not null,
      name text not null,
      status text not null default 'RUNNING'
        check (status in ('RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED')),
      lifecycle text not null default 'active' check (lifecycle in ('active', 'deleted')),
      training_id uuid,
      training_attempt int,
      is_job_open boolean not null default false,
      created_by uuid,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      foreign key (tenant_id, experiment) references tracker_experiment (tenant_id, id) on delete cascade,
      check ((training_id is null) = (training_attempt is null)))`);
    this.addSql(`create index tracker_run_experiment_idx
      on tracker_run (tenant_id, experiment, started_at desc, id desc)`);
    this.addSql('create index tracker_run_started_idx on tracker_run (tenant_id, started_at desc, id desc)');
    this.addSql(`create index tracker_run_training_idx on tracker_run (tenant_id, training_id)
      where training_id is not null`);
    this.addSql(tenantTable('tracker_run'));
  }

  private metrics(): void {
    this.addSql(`create table metric_key (
      id int generated always as identity primary key,
      tenant_id uuid not null references tenant (id) on delete restrict,
      name text not null check (char_length(name) between 1 and 250),
      unique (tenant_id, id),
      unique (tenant_id, name))`);
    this.addSql(tenantTable('metric_key', ['select', 'insert']));
    // Written by one statement only, which takes run and tenant from the run's own row: a foreign key for
    // each of a thousand points would cost more than the points. The primary key makes a repeated batch
    // harmless and serves reading one series; ts is in milliseconds since 1970 as clients send it.
    this.addSql(`create table metric_point (
      run bigint not null,
      key int not null,
      step bigint not null,
      ts bigint not null,
      value float8 not null,
      tenant_id uuid not null,
      primary key (run, key, step, ts, value))`);
    this.addSql(tenantTable('metric_point', ['select', 'insert', 'delete']));
    this.addSql(`create table metric_latest (
      run bigint not null,
      key int not null,
      step bigint not null,
      ts bigint not null,
      value float8 not null,
      experiment bigint not null,
      tenant_id uuid not null,
      primary key (run, key),
      foreign key (tenant_id, key) references metric_key (tenant_id, id) on delete cascade,
      ${OF_RUN})`);
    this.addSql('create index metric_latest_value_idx on metric_latest (experiment, key, value, run)');
    this.addSql(tenantTable('metric_latest'));
  }

  private describing(): void {
    for (const [table, limit] of [
      ['param', 6000],
      ['tag', 8000],
    ] as const) {
      this.addSql(`create table ${table} (
        run bigint not null,
        key text not null check (char_length(key) between 1 and 250),
        value text not null check (char_length(value) <= ${limit}),
        tenant_id uuid not null,
        primary key (run, key),
        ${OF_RUN})`);
      // Filters compare the start of a value first: an index entry has a limited size.
      this.addSql(`create index ${table}_value_idx on ${table} (tenant_id, key, left(value, 100), run)`);
      this.addSql(tenantTable(table));
    }
    this.addSql(`create table run_artifact (
      run bigint not null,
      path text collate "C" not null check (char_length(path) between 1 and 512),
      size_bytes bigint not null check (size_bytes >= 0),
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      object_key text not null unique,
      tenant_id uuid not null,
      ${timestamps},
      primary key (run, path),
      ${OF_RUN})`);
    this.addSql(tenantTable('run_artifact'));
  }
}
