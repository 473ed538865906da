import { Migration } from '@mikro-orm/migrations';
import { tenantColumns, tenantTable, timestamps } from './table-policies.js';

const OF_EXPERIMENT = `foreign key (tenant_id, experiment_id)
        references training_experiment (tenant_id, id) on delete cascade`;

export class TrainingBaseline extends Migration {
  override up(): void {
    this.experiments();
    this.steps();
    this.logs();
  }

  private experiments(): void {
    // While an attempt runs its workflow is the only writer of the row, save two columns: the wish to cancel,
    // and the progress that the job itself reports. resume_run_id: another attempt may go on from the
    // checkpoint that the run of an earlier one has stored.
    this.addSql(`create table training_experiment (${tenantColumns('training_experiment')},
      name text not null check (char_length(name) between 1 and 200),
      task text not null,
      framework text not null,
      model text not null,
      dataset_key text not null,
      dataset_version_id uuid not null,
      dataset_digest text not null,
      manifest_key text not null,
      status text not null default 'QUEUED' check (status in (
        'QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
      status_message text not null default '',
      progress float8 not null default 0 check (progress between 0 and 1),
      gpu int not null default 1,
      preset text,
      attempt int not null default 1,
      tracker_run_id text not null,
      resume_run_id text,
      config jsonb not null,
      cancel_asked_at timestamptz,
      created_by uuid,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      constraint training_experiment_version_fkey foreign key (tenant_id, dataset_version_id)
        references dataset_version (tenant_id, id) on delete restrict)`);
    this.addSql(`create index training_experiment_created_idx
      on training_experiment (tenant_id, created_at desc, id)`);
    this.addSql(`create index training_experiment_status_idx
      on training_experiment (tenant_id, status, created_at desc)`);
    this.addSql(`create index training_experiment_dataset_idx
      on training_experiment (tenant_id, dataset_key, created_at desc)`);
    this.addSql(`create index training_experiment_version_idx
      on training_experiment (tenant_id, dataset_version_id)`);
    this.addSql(tenantTable('training_experiment'));
  }

  private steps(): void {
    this.addSql(`create table training_step (
      experiment_id uuid not null,
      attempt int not null,
      position int not null,
      key text not null,
      title text not null,
      status text not null default 'pending'
        check (status in ('pending', 'running', 'done', 'failed', 'skipped')),
      progress float8 not null default 0 check (progress between 0 and 1),
      message text not null default '',
      started_at timestamptz,
      finished_at timestamptz,
      tenant_id uuid not null,
      primary key (experiment_id, attempt, key),
      ${OF_EXPERIMENT})`);
    this.addSql(tenantTable('training_step'));
  }

  private logs(): void {
    // from_byte counts the bytes of the stored text, source_end those of the workload's own log, where
    // reading goes on. The key lets only one of two readers append after the same byte.
    this.addSql(`create table log_chunk (
      experiment_id uuid not null,
      attempt int not null,
      from_byte bigint not null,
      to_byte bigint not null,
      source_end bigint not null,
      text text not null,
      tenant_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (experiment_id, attempt, from_byte),
      check (to_byte = from_byte + octet_length(text)),
      ${OF_EXPERIMENT})`);
    this.addSql(tenantTable('log_chunk', ['select', 'insert', 'delete']));
  }
}
