import { Migration } from '@mikro-orm/migrations';

/** A rollback sends back whoever had begun, also once its command has expired or it was queued again. */
export class BegunDevices extends Migration {
  override up(): void {
    this.addSql('alter table deployment_device add column has_begun boolean not null default false');
  }
}
