import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** Entries about accounts are all that signing in adds to the audit trail. */
export class AuthAudit extends Migration {
  override up(): void {
    this.addSql(`create policy auth on audit_entry for insert to ${AUTH} with check (action like 'user.%')`);
    this.addSql(`grant insert on audit_entry to ${AUTH}`);
    this.addSql(`grant usage on sequence audit_entry_id_seq to ${AUTH}`);
  }
}
