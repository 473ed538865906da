import { Migration } from '@mikro-orm/migrations';
import {
  callsOnStates,
  numberedTenantRow,
  tenantColumns,
  tenantTable,
  timestamps,
} from './table-policies.js';

const STEPS = `('queued', 'downloading', 'installing', 'verifying', 'succeeded', 'failed', 'canceled')`;

/** Versions of models on their way to devices, and what is installed there. */
export class Deployments extends Migration {
  override up(): void {
    this.deployments();
    this.devices();
    this.logs();
    this.installed();
  }

  private deployments(): void {
    // is_called: its workflow has been called and has not looked yet. wish: what somebody asked for; the workflow follows it.
    this.addSql(`create table deployment (${tenantColumns('deployment')},
      model_id uuid not null,
      version int not null,
      previous_version int,
      dataset_digest text,
      target_device text,
      targets jsonb,
      strategy text not null check (strategy in ('replace', 'canary')),
      image text,
      groups jsonb not null,
      maintenance_window jsonb,
      rollback_on jsonb not null default '[]',
      status text not null default 'PENDING' check (status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'SUCCEEDED',
        'FAILED', 'ABORTED', 'ROLLING_BACK', 'ROLLED_BACK')),
      status_message text not null default '',
      current_group int not null default 0,
      is_watched boolean not null default false,
      wish text check (wish in ('pause', 'resume', 'abort', 'retry', 'rollback')),
      is_called boolean not null default false,
      attempt int not null default 1,
      requested_by_name text,
      created_by uuid,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade)`);
    this.addSql('create index deployment_created_idx on deployment (tenant_id, created_at desc, id)');
    this.addSql('create index deployment_model_idx on deployment (tenant_id, model_id, created_at desc)');
    this.addSql(tenantTable('deployment'));
    this.addSql(callsOnStates('deployment', 'status', 'wish'));
  }

  private devices(): void {
    // A device that is deleted leaves its row: the deployment tells that it could not be done.
    this.addSql(`create table deployment_device (${tenantColumns('deployment_device')},
      deployment_id uuid not null,
      model_id uuid not null,
      device_id uuid,
      device_key text not null,
      group_no int not null,
      from_version int,
      version int not null,
      is_rollback boolean not null default false,
      step text not null default 'queued' check (step in ${STEPS}),
      failed_step text check (failed_step in ${STEPS}),
      progress float8,
      message text,
      command_id uuid,
      started_at timestamptz,
      finished_at timestamptz,
      ${timestamps},
      unique (tenant_id, deployment_id, device_key),
      foreign key (tenant_id, deployment_id) references deployment (tenant_id, id) on delete cascade,
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade,
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete set null (device_id),
      foreign key (tenant_id, command_id) references edge_command (tenant_id, id) on delete set null (command_id))`);
    this.addSql(`create unique index deployment_device_open_key on deployment_device (tenant_id, device_id, model_id)
      where finished_at is null`);
    this.addSql(`create index deployment_device_step_idx
      on deployment_device (tenant_id, deployment_id, group_no, step, failed_step)`);
    this.addSql('create index deployment_device_command_idx on deployment_device (tenant_id, command_id)');
    this.addSql('create index deployment_device_device_idx on deployment_device (tenant_id, device_id)');
    this.addSql(tenantTable('deployment_device'));
  }

  private logs(): void {
    this.addSql(`create table deployment_log (${numberedTenantRow('deployment_log')},
      deployment_id uuid not null,
      device_key text,
      step text check (step in ${STEPS}),
      message text not null,
      at timestamptz not null default now(),
      foreign key (tenant_id, deployment_id) references deployment (tenant_id, id) on delete cascade)`);
    this.addSql('create index deployment_log_idx on deployment_log (tenant_id, deployment_id, id)');
    this.addSql(tenantTable('deployment_log'));
  }

  private installed(): void {
    this.addSql(`create table edge_installed_model (
      device_id uuid not null,
      model_id uuid not null,
      tenant_id uuid not null references tenant (id) on delete restrict,
      version int not null,
      installed_at timestamptz not null default now(),
      primary key (device_id, model_id),
      foreign key (tenant_id, device_id) references edge_device (tenant_id, id) on delete cascade,
      foreign key (tenant_id, model_id) references model (tenant_id, id) on delete cascade)`);
    this.addSql(
      'create index edge_installed_model_version_idx on edge_installed_model (tenant_id, model_id, version)',
    );
    this.addSql(tenantTable('edge_installed_model'));
  }
}
