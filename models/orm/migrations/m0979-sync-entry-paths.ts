import { Migration } from '@mikro-orm/migrations';

/**
 * Entries are written by the thousand and have no statistics yet when they are taken: an index that begins like the
 * primary key looked as good as it for entries by position, and was walked from end to end each time.
 */
export class M0979SyncEntryPaths extends Migration {
  override up(): void {
    this.addSql('alter table dataset_sync_entry drop constraint dataset_sync_entry_path_key');
    this.addSql('alter table dataset_sync_entry add constraint dataset_sync_entry_path_key unique (path, sync_id, tenant_id)');
  }
}
