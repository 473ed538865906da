import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { assertWanted } from '../../models/sources/dataset-sync.rules.js';
import { addFindings, findSyncById, noteSourceAway, noteSourceBack, type SyncRow } from '../../models/sources/dataset-sync.repository.js';
import type { CopyStep, SourceStep, SyncInput, SyncLane } from '../../models/sources/dataset-sync-work.types.js';
import {
  bringBackEntries,
  countPutOff,
  hasOpenEntries,
  keepEntryMultipart,
  keepEntryParts,
  putOffEntries,
  recordResults,
  takeEntries,
} from '../../models/sources/sync-entry.repository.js';
import type { Beat } from '../support/activity-context.js';
import { type BatchDeps, type BatchEnd, copyBatch } from './copy-batch.js';
import { EntryFeed } from './entry-feed.js';
import { copyFile } from './file-copier.js';
import { findPlace, type PlaceDeps } from './source-place.js';
import { cutOf, patienceWith, readOnce } from './source-step.js';

export interface SyncActivityDeps extends PlaceDeps {
  readonly objects: ObjectStore;
  /** Copies at once for one sync. */
  readonly parallel: number;
  /** For how long a source that is away is waited for. */
  readonly patienceMs: number;
}

/** For how long a batch begins further files; then other syncs have their turn. */
const BEGINS_FOR_MS: Readonly<Record<SyncLane, number>> = { quick: 10_000, long: 120_000 };

/** Copies up to `limit` files in a place of the given lane, large ones in the long lane alone. */
export async function copySome(deps: SyncActivityDeps, input: SyncInput, limit: number, lane: SyncLane, beat: Beat): Promise<SourceStep<CopyStep>> {
  const tenantId = asTenantId(input.tenantId);
  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => deps.database.inTenant(tenantId, work);
  const sync = await inTenant((tx) => findSyncById(tx, input.syncId));
  if (!sync) throw notFound('Sync');
  assertWanted(sync);
  const cut = cutOf(lane);
  const step = await readOnce<CopyStep>(patienceWith(deps, tenantId, sync.id, beat.signal, cut), async () => {
    const entries = new EntryFeed((after, atOnce) => inTenant((tx) => takeEntries(tx, sync.id, { after, limit: atOnce, isAnySize: lane === 'long' })), limit);
    const slice = { beginUntil: Date.now() + BEGINS_FOR_MS[lane], cut };
    const end: BatchEnd = (await entries.hasNext())
      ? await copyBatch({ ...(await batchDeps(deps, input, sync, beat)), parallel: parallelIn(lane, deps.parallel), slice }, entries)
      : 'all';
    if (end === 'cut') return 'long';
    if (end === 'stopped' || entries.isFull) return 'more';
    return (await inTenant((tx) => hasOpenEntries(tx, sync.id))) ? 'long' : 'complete';
  });
  return step.is === 'done' && step.result === 'complete' ? inTenant((tx) => lookAgain(tx, sync.id, deps.patienceMs)) : step;
}

/** Files that are due about the same time come again together. */
const TOGETHER_MS = 1000;

/** Nothing but what was put off is left: it comes again when it is due, and for the last time when patience is over. */
async function lookAgain(tx: TenantTransaction, syncId: string, patienceMs: number): Promise<SourceStep<CopyStep>> {
  const { files, dueInMs } = await countPutOff(tx, syncId);
  if (files === 0) return { is: 'done', result: 'complete' };
  const { awayMs } = await noteSourceAway(tx, syncId, `The source could not give ${files} file${files === 1 ? '' : 's'}. Trying again.`);
  const leftMs = patienceMs - awayMs;
  const waitMs = Math.min(dueInMs, leftMs);
  if (waitMs > 0) return { is: 'away', forMs: waitMs };
  await bringBackEntries(tx, syncId, leftMs > 0 ? TOGETHER_MS : null);
  return { is: 'done', result: 'more' };
}

/** Large files fill the line with few at once, and slow sources are asked for less. */
const parallelIn = (lane: SyncLane, parallel: number): number => (lane === 'quick' ? parallel : Math.ceil(parallel / 2));

async function batchDeps(deps: SyncActivityDeps, input: SyncInput, sync: SyncRow, { signal, progress }: Beat): Promise<Omit<BatchDeps, 'parallel' | 'slice'>> {
  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => deps.database.inTenant(asTenantId(input.tenantId), work);
  const place = await findPlace(deps, input.tenantId, sync);
  const mayPutOff = (sync.away_ms ?? 0) < deps.patienceMs;
  let done = 0;
  return {
    signal,
    failedBefore: sync.failures_in_row,
    mayPutOff,
    probe: async (probeSignal) => void (await place.source.listDatasets(place.endpoint, { page: 1, pageSize: 1 }, probeSignal)),
    copy: (entry, copySignal) =>
      copyFile(
        {
          place,
          objects: deps.objects,
          signal: copySignal,
          leavesStalled: mayPutOff || entry.tries > 0,
          keepMultipart: ({ position }, id) => inTenant((tx) => keepEntryMultipart(tx, sync.id, position, id)),
          keepParts: ({ position }, parts) =>
            inTenant(async (tx) => {
              await keepEntryParts(tx, sync.id, position, parts);
              await noteSourceBack(tx, sync.id);
            }),
        },
        entry,
      ),
    record: async (results, errors, failedInARow, putOff) => {
      await inTenant(async (tx) => {
        await recordResults(tx, sync.id, results, failedInARow);
        if (putOff.length > 0) await putOffEntries(tx, sync.id, putOff);
        await addFindings(tx, sync.id, 'error', { count: errors.length, listed: errors });
        if (results.length > errors.length) await noteSourceBack(tx, sync.id);
      });
      done += results.length;
      progress({ done });
    },
  };
}
