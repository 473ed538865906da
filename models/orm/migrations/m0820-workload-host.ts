import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './house.js';

/** The one machine and directory where workloads run as processes; a worker elsewhere would start them again. */
export class M0820WorkloadHost extends Migration {
  override up(): void {
    this.addSql(`create table workload_host (
      only_one boolean primary key default true check (only_one),
      host text not null,
      store_id text not null,
      data_dir text not null,
      seen_at timestamptz not null)`);
    this.addSql(platformTable('workload_host'));
  }
}
