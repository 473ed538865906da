import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** Sessions of people. */
export class AuthSessions extends Migration {
  override up(): void {
    this.addSql(openToAuth('auth_session', 'select', 'insert', 'update (last_used_at)', 'delete'));
  }
}
