import { Migration } from '@mikro-orm/migrations';

export class M0328SyncActions extends Migration {
  override up(): void {
    // `too_large`: no object can hold it; `outgrown`: the same, and the file of an earlier sync stays.
    this.addSql('alter table dataset_sync_entry drop constraint dataset_sync_entry_action_check');
    this.addSql(
      "alter table dataset_sync_entry add constraint dataset_sync_entry_action_check check (action in ('add', 'change', 'keep', 'same', 'clash', 'too_large', 'outgrown'))",
    );
  }
}
