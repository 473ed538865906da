import { Migration } from '@mikro-orm/migrations';

/** A deployment whose rollback waits for other deployments is watched on; that is said once. */
export class HeldRollbacks extends Migration {
  override up(): void {
    this.addSql('alter table deployment add column is_held_told boolean not null default false');
  }
}
