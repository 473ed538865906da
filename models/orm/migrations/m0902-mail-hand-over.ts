import { Migration } from '@mikro-orm/migrations';

/** When a mail server was about to get a mail; null again after a failure that is known. */
export class M0902MailHandOver extends Migration {
  override up(): void {
    this.addSql('alter table dispatch add column handing_over_at timestamptz');
  }
}
