import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** What keeps passwords from being tried, by address. */
export class AuthLimits extends Migration {
  override up(): void {
    this.addSql(openToAuth('attempt_limit', 'select', 'insert', 'update', 'delete'));
  }
}
