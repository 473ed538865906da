import { asTenantId } from '../../core/security/ids.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type {
  CopyStep,
  SourceStep,
  SyncEnding,
  SyncInput,
  SyncLane,
  SyncTurn,
} from '../../models/sources/sync/dataset-sync-work.types.js';
import { endSync, finishSync } from '../../models/sources/sync/sync-run.commands.js';
import { admitSync } from '../../models/sources/sync/sync-turn.commands.js';
import { withHeartbeat } from '../support/activity-context.js';
import { copySyncFiles, type SyncActivityDeps } from './sync-copy.js';
import { planSync } from './sync-plan.js';

export interface DatasetSyncActivities {
  /**
   * Takes a sync out of the queue when few enough of its tenant's run. Short, and idempotent: one that runs
   * or has ended stays admitted.
   */
  admitSync(input: SyncInput): Promise<SyncTurn>;
  /**
   * Reads the manifest and compares it with the dataset. Idempotent.
   * @returns how many files are to be copied
   */
  planSync(input: SyncInput, lane: SyncLane): Promise<SourceStep<number>>;
  /** Copies up to `limit` files. A repeat goes on where the last attempt ended, also inside a large file. */
  copySyncFiles(input: SyncInput, limit: number, lane: SyncLane): Promise<SourceStep<CopyStep>>;
  /** Makes the copied files visible and ends the sync. Idempotent. */
  completeSync(input: SyncInput): Promise<void>;
  /** Ends the sync before its time and frees what it stored. Idempotent. */
  abandonSync(input: SyncInput, ending: SyncEnding): Promise<void>;
}

export function createDatasetSyncActivities(deps: SyncActivityDeps): DatasetSyncActivities {
  const inTenant = <T>(input: SyncInput, work: (tx: TenantTransaction) => Promise<T>, signal?: AbortSignal) =>
    deps.database.inTenant(asTenantId(input.tenantId), work, signal);
  return {
    admitSync: (input) => inTenant(input, (tx) => admitSync(tx, input)),

    planSync: (input, lane) => withHeartbeat((beat) => planSync(deps, input, lane, beat)),

    copySyncFiles: (input, limit, lane) =>
      withHeartbeat((beat) => copySyncFiles(deps, input, limit, lane, beat)),

    completeSync: (input) =>
      withHeartbeat(({ signal }) => inTenant(input, (tx) => finishSync(tx, input), signal)),

    abandonSync: (input, ending) => withHeartbeat(() => inTenant(input, (tx) => endSync(tx, input, ending))),
  };
}
