import { Migration } from '@mikro-orm/migrations';

/**
 * An entry is written twice, by the plan and with its result. The second write stays on the page of the first and touches no index: none
 * holds the state, and pages are filled by half.
 */
export class M0996SyncEntryWrites extends Migration {
  override up(): void {
    this.addSql('drop index dataset_sync_entry_open_idx');
    this.addSql('alter table dataset_sync_entry set (fillfactor = 50)');
    // Entries up to these positions count as begun: small ones, and those that are copied in parts.
    this.addSql('alter table dataset_sync add column taken_small int not null default -1, add column taken_large int not null default -1');
  }
}
