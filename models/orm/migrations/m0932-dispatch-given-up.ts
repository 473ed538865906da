import { Migration } from '@mikro-orm/migrations';

/** Entries that were answered with a refusal again and again are set aside, for a person to look at. */
export class M0932DispatchGivenUp extends Migration {
  override up(): void {
    this.addSql('alter table dispatch add column refusals int not null default 0, add column given_up_at timestamptz');
    this.addSql('create index dispatch_given_up_idx on dispatch (given_up_at desc) where given_up_at is not null');
  }
}
