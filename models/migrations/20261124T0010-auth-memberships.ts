import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** Who has which role. Signing in can give none. */
export class AuthMemberships extends Migration {
  override up(): void {
    this.addSql(openToAuth('membership', 'select'));
  }
}
