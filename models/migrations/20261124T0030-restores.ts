import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './table-policies.js';

export class Restores extends Migration {
  override up(): void {
    // settled_at: null until a worker has ended what the earlier life of the installation left behind.
    this.addSql(`create table platform_restore (
      epoch int primary key,
      backup_id uuid not null,
      taken_at timestamptz not null,
      restored_at timestamptz not null default clock_timestamp(),
      settled_at timestamptz)`);
    this.addSql(platformTable('platform_restore'));
  }
}
