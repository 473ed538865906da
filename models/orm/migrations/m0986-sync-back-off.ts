import { Migration } from '@mikro-orm/migrations';

export class M0986SyncBackOff extends Migration {
  override up(): void {
    // Scheduled syncs that failed since one of any kind was done, or the link was made: the next waits longer for each.
    this.addSql('alter table dataset_source add column failures_in_row int not null default 0');
  }
}
