import { Migration } from '@mikro-orm/migrations';
import { callsOnStates } from './table-policies.js';

/** Who waits for an archive to be unpacked, or for a workload to end, is called. */
export class StateCallTriggers extends Migration {
  override up(): void {
    this.addSql(callsOnStates('dataset_upload', 'state'));
    this.addSql(callsOnStates('workload', 'status', 'carried_out'));
  }
}
