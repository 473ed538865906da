import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** Signing in, and reading and changing one's own account: the role can neither enable an account nor move it to another address. */
export class AuthAccounts extends Migration {
  override up(): void {
    this.addSql(
      openToAuth(
        'user_account',
        'select',
        'insert',
        'update (password_hash, full_name, phone, is_verified, verification_changes, updated_at)',
      ),
    );
  }
}
