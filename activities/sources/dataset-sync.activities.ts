import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { addFindings, findSyncById, type SyncRow, tellOfSync } from '../../models/sources/dataset-sync.repository.js';
import type { CopyStep, SyncEnding, SyncInput } from '../../models/sources/dataset-sync-work.types.js';
import { keepEntryMultipart, keepEntryParts, recordResults, takeEntries } from '../../models/sources/sync-entry.repository.js';
import { admitSync } from '../../models/sources/sync-turn.commands.js';
import { beginSync, endSync, finishSync, storePlan } from '../../models/sources/sync-run.commands.js';
import { type Beat, withHeartbeat } from '../support/activity-context.js';
import { copyBatch } from './copy-batch.js';
import { copyFile } from './file-copier.js';
import { writeManifestEntries } from './manifest-entries.js';
import { findPlace, type PlaceDeps } from './source-place.js';
import { waitForSource } from './wait-for-source.js';

export interface SyncActivityDeps extends PlaceDeps {
  readonly objects: ObjectStore;
  /** Copies at once for one sync. */
  readonly parallel: number;
  /** For how long a source that is away is waited for. */
  readonly patienceMs: number;
}

export interface DatasetSyncActivities {
  /**
   * Takes a sync out of the queue when few enough of its tenant's run. Short, and idempotent: one that runs or has ended stays admitted.
   * @returns false when others are first
   */
  admitSync(input: SyncInput): Promise<boolean>;
  /** Reads the manifest and compares it with the dataset. Idempotent. @returns how many files are to be copied */
  planSync(input: SyncInput): Promise<number>;
  /** Copies up to `limit` files. A repeat goes on where the last attempt ended, also inside a large file. */
  copySyncFiles(input: SyncInput, limit: number): Promise<CopyStep>;
  /** Makes the copied files visible and ends the sync. Idempotent. */
  completeSync(input: SyncInput): Promise<void>;
  /** Ends the sync before its time and frees what it stored. Idempotent. */
  abandonSync(input: SyncInput, ending: SyncEnding): Promise<void>;
}

export function createDatasetSyncActivities(deps: SyncActivityDeps): DatasetSyncActivities {
  const inTenant = <T>(input: SyncInput, work: (tx: TenantTransaction) => Promise<T>) => deps.database.inTenant(asTenantId(input.tenantId), work);
  return {
    admitSync: (input) => inTenant(input, (tx) => admitSync(tx, input)),

    planSync: (input) =>
      withHeartbeat(async (beat) => {
        const sync = await inTenant(input, (tx) => beginSync(tx, input));
        if (!sync) return 0;
        return sync.plan ? sync.files_total : plan(deps, input, sync, beat);
      }),

    copySyncFiles: (input, limit) => withHeartbeat((beat) => copySome(deps, input, limit, beat)),

    completeSync: (input) => withHeartbeat(() => inTenant(input, (tx) => finishSync(tx, input))),

    abandonSync: (input, ending) => withHeartbeat(() => inTenant(input, (tx) => endSync(tx, input, ending))),
  };
}

async function plan(deps: SyncActivityDeps, input: SyncInput, sync: SyncRow, { signal, progress }: Beat): Promise<number> {
  const tenantId = asTenantId(input.tenantId);
  const tell = (message: string) => deps.database.inTenant(tenantId, (tx) => tellOfSync(tx, sync.id, `${message} Trying again.`));
  await waitForSource({ forMs: deps.patienceMs, signal, onWait: tell }, async () => {
    const place = await findPlace(deps, input.tenantId, sync);
    await writeManifestEntries(deps.database, tenantId, sync, place.source.readManifest(place.endpoint, place.remoteDatasetId, signal), progress);
  });
  const { add, change } = await deps.database.inTenant(tenantId, (tx) => storePlan(tx, sync));
  return add.files + change.files;
}

async function copySome(deps: SyncActivityDeps, input: SyncInput, limit: number, { signal, progress }: Beat): Promise<CopyStep> {
  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => deps.database.inTenant(asTenantId(input.tenantId), work);
  const sync = await inTenant((tx) => findSyncById(tx, input.syncId));
  if (!sync) throw notFound('Sync');
  const tell = (message: string) => inTenant((tx) => tellOfSync(tx, sync.id, `${message} Trying again.`));
  return waitForSource({ forMs: deps.patienceMs, signal, onWait: tell }, async (onProgress) => {
    const place = await findPlace(deps, input.tenantId, sync);
    const entries = await inTenant((tx) => takeEntries(tx, sync.id, limit));
    let done = 0;
    await copyBatch(
      {
        parallel: deps.parallel,
        signal,
        onProgress,
        probe: async (probeSignal) => void (await place.source.listDatasets(place.endpoint, { page: 1, pageSize: 1 }, probeSignal)),
        copy: (entry, copySignal) =>
          copyFile(
            {
              place,
              objects: deps.objects,
              signal: copySignal,
              keepMultipart: ({ position }, id) => inTenant((tx) => keepEntryMultipart(tx, sync.id, position, id)),
              keepParts: ({ position }, parts) => inTenant((tx) => keepEntryParts(tx, sync.id, position, parts)),
            },
            entry,
          ),
        record: async (results, errors) => {
          await inTenant(async (tx) => {
            await recordResults(tx, sync.id, results);
            await addFindings(tx, sync.id, 'error', { count: errors.length, listed: errors });
          });
          done += results.length;
          progress({ done, of: entries.length });
        },
      },
      entries,
    );
    return entries.length < limit ? 'complete' : 'more';
  });
}
