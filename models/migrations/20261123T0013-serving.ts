import { Migration } from '@mikro-orm/migrations';
import { callsOnStates, tenantColumns, tenantTable, timestamps } from './table-policies.js';

export class ServingBaseline extends Migration {
  override up(): void {
    // `wish` is what people asked for last, `status` what is true; revision counts the wishes, so that work
    // that began before the last one cannot overwrite it. attempt counts the workflows that held the endpoint
    // up.
    this.addSql(`create table serving_endpoint (${tenantColumns('serving_endpoint')},
      name text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$'),
      image_id uuid not null,
      replicas int not null check (replicas >= 1),
      ready_replicas int not null default 0 check (ready_replicas >= 0),
      gpu int not null default 0 check (gpu >= 0),
      status text not null default 'CREATING'
        check (status in ('CREATING', 'CONNECTING', 'RUNNING', 'DEGRADED', 'FAILED', 'STOPPED')),
      status_message text,
      wish text not null default 'run' check (wish in ('run', 'stop', 'delete', 'none')),
      revision int not null default 1,
      attempt int not null default 1 check (attempt > 0),
      workload_id text not null,
      sealed_credential text not null,
      instances jsonb not null default '[]',
      validation_dataset_id text,
      validation jsonb,
      last_heartbeat_at timestamptz,
      created_by uuid,
      ${timestamps},
      constraint serving_endpoint_name_key unique (tenant_id, name),
      constraint serving_endpoint_workload_key unique (workload_id),
      foreign key (tenant_id, image_id) references image (tenant_id, id) on delete restrict)`);
    this.addSql('create index serving_endpoint_image_idx on serving_endpoint (tenant_id, image_id)');
    this.addSql(`create index serving_endpoint_live_idx on serving_endpoint (status)
      where status in ('CONNECTING', 'RUNNING', 'DEGRADED')`);
    this.addSql(tenantTable('serving_endpoint'));
    this.addSql(callsOnStates('serving_endpoint', 'status', 'last_heartbeat_at'));
  }
}
