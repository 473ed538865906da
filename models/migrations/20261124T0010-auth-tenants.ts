import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** Names of tenants; nothing of their resources. */
export class AuthTenants extends Migration {
  override up(): void {
    this.addSql(openToAuth('tenant', 'select (id, code, name, is_active)'));
  }
}
