import { notFound } from '../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { findSyncById, type SyncRow } from '../../models/sources/sync/dataset-sync.queries.js';
import { assertWanted } from '../../models/sources/sync/dataset-sync.rules.js';
import type {
  CopyStep,
  SourceStep,
  SyncInput,
  SyncLane,
} from '../../models/sources/sync/dataset-sync-work.types.js';
import { bringBackEntries } from '../../models/sources/sync/sync-copy.sql.js';
import { countPutOff } from '../../models/sources/sync/sync-entry.queries.js';
import { recordSourceAway } from '../../models/sources/sync/sync-row.commands.js';
import type { Beat } from '../support/activity-context.js';
import { type BatchDeps, copyBatch } from './copy-batch.js';
import { EntryFeed } from './entry-feed.js';
import { FileCopier } from './file-copier.js';
import { findPlace } from './source-place.js';
import { cutOf, stepAfter } from './source-step.js';
import type { PlanDeps } from './sync-plan.js';
import { SyncProgress } from './sync-progress.js';

export interface SyncActivityDeps extends PlanDeps {
  readonly objects: ObjectStore & MultipartStore;
  /** Copies at once for one sync. */
  readonly parallel: number;
}

/** For how long a batch begins further files; then other syncs have their turn. */
const BEGINS_FOR_MS: Readonly<Record<SyncLane, number>> = { quick: 10_000, long: 120_000 };

/** Copies up to `limit` files in a place of the given lane, large ones in the long lane alone. */
export async function copySyncFiles(
  deps: SyncActivityDeps,
  input: SyncInput,
  limit: number,
  lane: SyncLane,
  beat: Beat,
): Promise<SourceStep<CopyStep>> {
  const tenantId = asTenantId(input.tenantId);
  const sync = await deps.database.inTenant(tenantId, (tx) => findSyncById(tx, input.syncId));
  if (!sync) throw notFound('Sync');
  assertWanted(sync);
  const progress = new SyncProgress(deps.database, tenantId, sync.id);
  const cut = cutOf(lane);
  try {
    const files = new EntryFeed(progress, { most: limit, isAnySize: lane === 'long' });
    const slice = { beginUntil: Date.now() + BEGINS_FOR_MS[lane], cut };
    const end = (await files.hasNext())
      ? await copyBatch(
          { ...(await openSource(deps, tenantId, sync, progress, lane)), progress, slice, beat },
          files,
        )
      : 'all';
    if (end === 'cut') return { is: 'long' };
    if (end === 'stopped' || files.isFull) return { is: 'done', result: 'more' };
    if (await progress.hasOpenFiles()) return { is: 'long' };
  } catch (error) {
    return stepAfter(error, { forMs: deps.patienceMs, signal: beat.signal, cut, progress });
  }
  return deps.database.inTenant(tenantId, (tx) => lookAgain(tx, sync.id, deps.patienceMs));
}

async function openSource(
  { parallel, patienceMs, ...deps }: SyncActivityDeps,
  tenantId: TenantId,
  sync: SyncRow,
  progress: SyncProgress,
  lane: SyncLane,
): Promise<Pick<BatchDeps, 'copier' | 'parallel' | 'mayPutOff' | 'failedBefore'>> {
  const place = await findPlace(deps, tenantId, sync);
  const mayPutOff = (sync.awayMs ?? 0) < patienceMs;
  return {
    copier: new FileCopier({ place, objects: deps.objects, progress, mayPutOff }),
    mayPutOff,
    failedBefore: sync.failuresInRow,
    // Large files fill the line with few at once, and slow sources are asked for less.
    parallel: lane === 'quick' ? parallel : Math.ceil(parallel / 2),
  };
}

/** Files that are due about the same time come again together. */
const TOGETHER_MS = 1000;

/**
 * Nothing but what was put off is left: it comes again when it is due, and for the last time when patience is
 * over.
 */
async function lookAgain(
  tx: TenantTransaction,
  syncId: string,
  patienceMs: number,
): Promise<SourceStep<CopyStep>> {
  const { files, dueInMs } = await countPutOff(tx, syncId);
  if (files === 0) return { is: 'done', result: 'complete' };
  const message = `The source could not give ${files} file${files === 1 ? '' : 's'}. Trying again.`;
  const { awayMs } = await recordSourceAway(tx, syncId, message);
  const leftMs = patienceMs - awayMs;
  const waitMs = Math.min(dueInMs, leftMs);
  if (waitMs > 0) return { is: 'away', forMs: waitMs };
  await bringBackEntries(tx, syncId, leftMs > 0 ? TOGETHER_MS : null);
  return { is: 'done', result: 'more' };
}
