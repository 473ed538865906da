import { Migration } from '@mikro-orm/migrations';
import { AUTH } from './table-policies.js';

/** The answer to a heartbeat says which policy holds, by what is known of its caller. */
export class PolicyRevisionRead extends Migration {
  override up(): void {
    this.addSql(`grant select (policy_revision) on edge_device to ${AUTH}`);
  }
}
