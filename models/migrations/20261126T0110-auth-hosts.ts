import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** What hosts can run tells nothing of the resources of tenants: that an account may not read it takes no more rights. */
export class AuthHosts extends Migration {
  override up(): void {
    this.addSql(`create policy auth on host for select to ${AUTH} using (true)`);
    this.addSql(`grant select on host to ${AUTH}`);
  }
}
