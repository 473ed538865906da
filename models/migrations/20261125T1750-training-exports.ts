import { Migration } from '@mikro-orm/migrations';
import { callsOnStates, tenantColumns, tenantTable, timestamps } from './table-policies.js';

/** Exports of trained models that are asked for after the training. */
export class TrainingExports extends Migration {
  override up(): void {
    // While its workflow runs it is the only writer of the row, save the wish to cancel. results: what became of each
    // format, as its program reported it.
    this.addSql(`create table training_export (${tenantColumns('training_export')},
      experiment_id uuid not null,
      tracker_run_id text not null,
      formats jsonb not null,
      status text not null default 'QUEUED'
        check (status in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
      status_message text not null default '',
      results jsonb not null default '[]',
      attempt int not null default 1,
      cancel_asked_at timestamptz,
      created_by uuid,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      foreign key (tenant_id, experiment_id) references training_experiment (tenant_id, id) on delete cascade)`);
    this.addSql(`create unique index training_export_active_key on training_export (tenant_id, experiment_id)
      where status in ('QUEUED', 'RUNNING')`);
    this.addSql(`create index training_export_experiment_idx
      on training_export (tenant_id, experiment_id, created_at desc, id)`);
    this.addSql(tenantTable('training_export'));
    this.addSql(callsOnStates('training_export', 'status'));
    this.addSql(`-- upgrade: release 0.1 writes no workload
      alter table workload drop constraint workload_kind_check,
      add constraint workload_kind_check check (kind in ('training', 'serving', 'export'))`);
  }
}
