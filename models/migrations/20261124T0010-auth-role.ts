import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** Rights on a table whose rows the role may see all of. Columns beside a right bound it to them. */
const opened = (table: string, ...rights: readonly string[]): string[] => [
  `create policy auth on ${table} for all to ${AUTH} using (true) with check (true)`,
  `grant ${rights.join(', ')} on ${table} to ${AUTH}`,
];

/**
 * What signing in takes, and reading and changing one's own account. The role can neither give a role in a tenant, nor
 * enable an account, nor move it to another address; of tenants it sees the names, of their resources nothing.
 */
export class AuthRole extends Migration {
  override up(): void {
    const statements = [
      ...opened(
        'user_account',
        'select',
        'insert',
        'update (password_hash, full_name, phone, is_verified, verification_changes, updated_at)',
      ),
      ...opened('membership', 'select'),
      ...opened('tenant', 'select (id, code, name, is_active)'),
      ...opened('auth_session', 'select', 'insert', 'update (last_used_at)', 'delete'),
      ...opened('access_token', 'select', 'insert', 'update (last_used_at)', 'delete'),
      ...opened('attempt_limit', 'select', 'insert', 'update', 'delete'),
      ...opened('sign_in_place', 'select', 'insert', 'update', 'delete'),
      // Entries about accounts, and mails to them: nothing that starts work, nothing about resources.
      `create policy auth on audit_entry for insert to ${AUTH} with check (action like 'user.%')`,
      `grant insert on audit_entry to ${AUTH}`,
      `grant usage on sequence audit_entry_id_seq to ${AUTH}`,
      `create policy auth on dispatch for insert to ${AUTH} with check (kind = 'mail' and tenant_id is null)`,
      `grant insert on dispatch to ${AUTH}`,
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
