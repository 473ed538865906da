import { Migration } from '@mikro-orm/migrations';

/** Mails to an account that goes are removed like everything else that must happen: by an entry of the dispatch table. */
export class M0950MailRemoval extends Migration {
  override up(): void {
    this.addSql('alter table dispatch drop constraint dispatch_kind_check');
    this.addSql("alter table dispatch add constraint dispatch_kind_check check (kind in ('start', 'signal', 'cancel', 'mail', 'mail-removal'))");
    // Mails that wait for their server, which may be long, by whom they go to and what they tell of.
    this.addSql("create index dispatch_mail_to_idx on dispatch ((payload->>'to')) where kind = 'mail'");
  }
}
