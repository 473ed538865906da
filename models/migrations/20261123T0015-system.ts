import { Migration } from '@mikro-orm/migrations';
import { platformTable, tenantColumns, tenantTable, timestamps } from './table-policies.js';

export class SystemBaseline extends Migration {
  override up(): void {
    this.processes();
    this.workloads();
  }

  private processes(): void {
    // Which processes are alive and what they know of their machine; read by the system's health.
    this.addSql(`create table process_heartbeat (
      process text not null,
      place text not null,
      started_at timestamptz not null,
      seen_at timestamptz not null,
      facts jsonb not null default '{}',
      primary key (process, place))`);
    this.addSql(platformTable('process_heartbeat'));
    // The one machine and directory where workloads run as processes; a worker elsewhere would start them
    // again.
    this.addSql(`create table workload_host (
      only_one boolean primary key default true check (only_one),
      host text not null,
      store_id text not null,
      data_dir text not null,
      seen_at timestamptz not null)`);
    this.addSql(platformTable('workload_host'));
  }

  private workloads(): void {
    // `wish` is what was asked for last, `status` what is true; revision counts the wishes, so that a report
    // about an earlier one cannot be taken for an answer to the last. host: null until one is chosen.
    this.addSql(`create table workload (${tenantColumns('workload')},
      kind text not null check (kind in ('training', 'serving')),
      name text not null,
      host text,
      wish text not null default 'run' check (wish in ('run', 'stop', 'remove')),
      revision int not null default 1,
      status text not null,
      reason text,
      spec jsonb not null,
      ${timestamps})`);
    this.addSql(tenantTable('workload'));
  }
}
