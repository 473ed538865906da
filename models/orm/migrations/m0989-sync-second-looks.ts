import { Migration } from '@mikro-orm/migrations';

export class M0989SyncSecondLooks extends Migration {
  override up(): void {
    // A file that the source could not give just now is `later`: it comes again behind the others, from `again_at` on.
    this.addSql('alter table dataset_sync_entry add column tries int not null default 0');
    this.addSql('alter table dataset_sync_entry add column again_at timestamptz');
    this.addSql('alter table dataset_sync_entry drop constraint dataset_sync_entry_state_check');
    this.addSql("alter table dataset_sync_entry add constraint dataset_sync_entry_state_check check (state in ('planned', 'copying', 'copied', 'failed', 'later'))");
    // Which attempt may write the manifest: one that was given up may still run.
    this.addSql('alter table dataset_sync add column plan_attempt int not null default 0');
  }
}
