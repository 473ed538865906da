import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** Mails to accounts: nothing that starts work, nothing about resources. */
export class AuthMails extends Migration {
  override up(): void {
    this.addSql(
      `create policy auth on dispatch for insert to ${AUTH} with check (kind = 'mail' and tenant_id is null)`,
    );
    this.addSql(`grant insert on dispatch to ${AUTH}`);
  }
}
