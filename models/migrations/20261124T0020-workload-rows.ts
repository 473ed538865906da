import { Migration } from '@mikro-orm/migrations';
import { platformTable, tenantTable } from './table-policies.js';

/** Workloads are rows with a wish, which the agent of a host carries out; there may be many hosts. */
export class WorkloadRows extends Migration {
  override up(): void {
    this.hosts();
    this.workloads();
    this.logs();
  }

  private hosts(): void {
    // gone_at: it was silent for so long that what it ran was given up or placed elsewhere; null while it counts.
    this.addSql(`create table host (
      id uuid primary key,
      name text not null,
      address text not null,
      data_dir text not null,
      memory_bytes bigint not null,
      max_jobs int,
      facts jsonb not null default '{}',
      started_at timestamptz not null,
      seen_at timestamptz not null,
      gone_at timestamptz)`);
    this.addSql(platformTable('host'));
  }

  private workloads(): void {
    // carried_out: the revision that the host carried out last. spec_revision: counts what is to be run, replicas
    // and stops apart. status and what follows it: what the host saw last. sealed_env: encrypted.
    this.addSql(`-- upgrade: release 0.1 writes no workload
      alter table workload
      add column owner_id uuid,
      add column attempt int not null default 1,
      add column replicas int not null default 1,
      add column grace_s int not null default 20,
      add column memory_bytes bigint not null default 0,
      add column spec_revision int not null default 1,
      add column sealed_env text,
      add column workflow_id text,
      add column workflow_signal text,
      add column carried_out int not null default 0,
      add column endpoints jsonb not null default '[]',
      add column exit_code int,
      add column started_at timestamptz,
      add column finished_at timestamptz,
      add constraint workload_name_key unique (name)`);
    this.addSql(
      '-- upgrade: release 0.1 writes no workload\ncreate index workload_host_idx on workload (host)',
    );
    this.addSql(
      '-- upgrade: release 0.1 writes no workload\ncreate index workload_owner_idx on workload (tenant_id, owner_id)',
    );
  }

  private logs(): void {
    // The last lines of each instance of a service, as its host read them.
    this.addSql(`create table workload_log (
      tenant_id uuid not null,
      workload_id uuid not null,
      instance int not null,
      tail text not null,
      written_at timestamptz not null default now(),
      primary key (workload_id, instance),
      foreign key (tenant_id, workload_id) references workload (tenant_id, id) on delete cascade)`);
    this.addSql(tenantTable('workload_log'));
  }
}
