import { Migration } from '@mikro-orm/migrations';

export class M0326SyncSchedule extends Migration {
  override up(): void {
    // When the last sync of the dataset was started, by whomever; a schedule counts its interval from here.
    this.addSql('alter table dataset_source add column last_sync_at timestamptz');
    this.addSql('create index dataset_source_schedule_idx on dataset_source ((coalesce(last_sync_at, linked_at))) where interval_s is not null');
  }
}
