import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** Tokens of people's programs. */
export class AuthTokens extends Migration {
  override up(): void {
    this.addSql(openToAuth('access_token', 'select', 'insert', 'update (last_used_at)', 'delete'));
  }
}
