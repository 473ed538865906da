import { asTenantId } from '../../core/security/ids.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { noteSourceBack, type SyncRow } from '../../models/sources/dataset-sync.repository.js';
import type { CopyStep, SourceStep, SyncEnding, SyncInput, SyncLane, SyncTurn } from '../../models/sources/dataset-sync-work.types.js';
import { admitSync } from '../../models/sources/sync-turn.commands.js';
import { storePlan } from '../../models/sources/sync-plan.commands.js';
import { beginSync, endSync, finishSync } from '../../models/sources/sync-run.commands.js';
import { type Beat, withHeartbeat } from '../support/activity-context.js';
import { copySome, type SyncActivityDeps } from './copy-step.js';
import { writeManifestEntries } from './manifest-entries.js';
import { findPlace } from './source-place.js';
import { cutOf, patienceWith, readOnce } from './source-step.js';

export interface DatasetSyncActivities {
  /** Takes a sync out of the queue when few enough of its tenant's run. Short, and idempotent: one that runs or has ended stays admitted. */
  admitSync(input: SyncInput): Promise<SyncTurn>;
  /** Reads the manifest and compares it with the dataset. Idempotent. @returns how many files are to be copied */
  planSync(input: SyncInput, lane: SyncLane): Promise<SourceStep<number>>;
  /** Copies up to `limit` files. A repeat goes on where the last attempt ended, also inside a large file. */
  copySyncFiles(input: SyncInput, limit: number, lane: SyncLane): Promise<SourceStep<CopyStep>>;
  /** Makes the copied files visible and ends the sync. Idempotent. */
  completeSync(input: SyncInput): Promise<void>;
  /** Ends the sync before its time and frees what it stored. Idempotent. */
  abandonSync(input: SyncInput, ending: SyncEnding): Promise<void>;
}

export function createDatasetSyncActivities(deps: SyncActivityDeps): DatasetSyncActivities {
  const inTenant = <T>(input: SyncInput, work: (tx: TenantTransaction) => Promise<T>, signal?: AbortSignal) => deps.database.inTenant(asTenantId(input.tenantId), work, signal);
  return {
    admitSync: (input) => inTenant(input, (tx) => admitSync(tx, input)),

    planSync: (input, lane) =>
      withHeartbeat(async (beat) => {
        const sync = await inTenant(input, (tx) => beginSync(tx, input));
        if (!sync) return { is: 'done', result: 0 };
        return sync.plan ? { is: 'done', result: sync.files_total } : plan(deps, input, sync, lane, beat);
      }),

    copySyncFiles: (input, limit, lane) => withHeartbeat((beat) => copySome(deps, input, limit, lane, beat)),

    completeSync: (input) => withHeartbeat(({ signal }) => inTenant(input, (tx) => finishSync(tx, input), signal)),

    abandonSync: (input, ending) => withHeartbeat(() => inTenant(input, (tx) => endSync(tx, input, ending))),
  };
}

async function plan(deps: SyncActivityDeps, input: SyncInput, sync: SyncRow, lane: SyncLane, { signal, progress }: Beat): Promise<SourceStep<number>> {
  const tenantId = asTenantId(input.tenantId);
  const cut = cutOf(lane);
  const read = await readOnce(patienceWith(deps, tenantId, sync.id, signal, cut), async () => {
    const place = await findPlace(deps, input.tenantId, sync);
    const until = cut ? AbortSignal.any([signal, cut]) : signal;
    return writeManifestEntries(deps.database, tenantId, sync, place.source.readManifest(place.endpoint, place.remoteDatasetId, until), progress);
  });
  if (read.is !== 'done') return read;
  const { add, change } = await deps.database.inTenant(
    tenantId,
    async (tx) => {
      const stored = await storePlan(tx, sync, read.result);
      await noteSourceBack(tx, sync.id);
      return stored;
    },
    signal,
  );
  return { is: 'done', result: add.files + change.files };
}
