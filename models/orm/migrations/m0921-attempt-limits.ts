import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './house.js';

/** How often something was tried of late: sign-ins and mails to strangers. One row for each key, for all API processes. */
export class M0921AttemptLimits extends Migration {
  override up(): void {
    this.addSql(`create table attempt_limit (
      key text primary key,
      used int not null,
      resets_at timestamptz not null)`);
    this.addSql('create index attempt_limit_resets_idx on attempt_limit (resets_at)');
    this.addSql(platformTable('attempt_limit'));
  }
}
