import { Migration } from '@mikro-orm/migrations';

export class M0327SyncWaits extends Migration {
  override up(): void {
    // Waiting for a source outlives the activity that found it away, so how long and how often is kept in the row; the
    // same for failures in a row, which several batches may bring together.
    this.addSql('alter table dataset_sync add column away_since timestamptz');
    this.addSql('alter table dataset_sync add column away_tries int not null default 0');
    this.addSql('alter table dataset_sync add column failures_in_row int not null default 0');
    // Who wants the dataset deleted as soon as this sync has ended; null: nobody.
    this.addSql('alter table dataset_sync add column delete_asked_by jsonb');
  }
}
