import { Migration } from '@mikro-orm/migrations';

/** Mailed tokens are bound to both numbers, so that none of them works after what it was sent for has changed, or changed back. */
export class M0972AddressChanges extends Migration {
  override up(): void {
    this.addSql('alter table user_account add column email_changes int not null default 0');
    this.addSql('alter table user_account add column verification_changes int not null default 0');
  }
}
