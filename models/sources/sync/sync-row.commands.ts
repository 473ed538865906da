import { isDeepStrictEqual } from 'node:util';
import type { TenantTransaction } from '../../orm/transaction.js';
import { DatasetSync } from './dataset-sync.entity.js';
import { MAX_LISTED_FINDINGS, type SyncFinding } from './dataset-sync.types.js';

/**
 * Locks a sync's row until the transaction ends, as far as its entries do not mind; whoever needs its dataset
 * too locks that first. Read anew: SQL text may have changed it in this transaction.
 */
export async function lockSync(tx: TenantTransaction, syncId: string): Promise<DatasetSync | null> {
  const locked = await tx.kysely
    .selectFrom('dataset_sync')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', syncId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked ? tx.em.findOne(DatasetSync, { id: syncId }, { refresh: true }) : null;
}

/** Writes what is new of a locked sync, if anything is. The message of a cancel that was asked for stays. */
export async function changeSync(
  tx: TenantTransaction,
  sync: DatasetSync,
  { statusMessage, ...changes }: Partial<DatasetSync>,
): Promise<void> {
  const isTold = statusMessage !== undefined && !sync.cancelAskedAt;
  const wanted: Partial<DatasetSync> = isTold ? { ...changes, statusMessage } : changes;
  const isNew = ([key, value]: [string, unknown]) =>
    !isDeepStrictEqual(sync[key as keyof DatasetSync], value);
  if (!Object.entries(wanted).some(isNew)) return;
  Object.assign(sync, wanted, { updatedAt: new Date() });
  await tx.em.flush();
}

export interface Findings {
  readonly count: number;
  /** The first of them. */
  readonly listed: readonly SyncFinding[];
}

/** Adds findings to the row: all are counted, the first of them listed. */
export async function addFindings(
  tx: TenantTransaction,
  syncId: string,
  kind: 'warning' | 'error',
  { count, listed }: Findings,
): Promise<void> {
  const sync = count > 0 ? await lockSync(tx, syncId) : null;
  if (!sync) return;
  const first = (before: readonly SyncFinding[]) => [...before, ...listed].slice(0, MAX_LISTED_FINDINGS);
  if (kind === 'error')
    await changeSync(tx, sync, { errors: first(sync.errors), errorCount: sync.errorCount + count });
  else
    await changeSync(tx, sync, { warnings: first(sync.warnings), warningCount: sync.warningCount + count });
}

/**
 * Keeps that the source gave nothing again, and says so to people.
 * @returns how often that was in a row, and for how long
 */
export async function recordSourceAway(
  tx: TenantTransaction,
  syncId: string,
  message: string,
): Promise<{ tries: number; awayMs: number }> {
  const sync = await lockSync(tx, syncId);
  if (!sync) return { tries: 1, awayMs: 0 };
  const now = new Date();
  const awaySince = sync.awaySince ?? now;
  const tries = sync.awayTries + 1;
  await changeSync(tx, sync, { awaySince, awayTries: tries, statusMessage: message });
  return { tries, awayMs: now.getTime() - awaySince.getTime() };
}

/** The source gives something again: patience with it begins anew. */
export async function recordSourceBack(tx: TenantTransaction, syncId: string): Promise<void> {
  const away = await tx.kysely
    .selectFrom('dataset_sync')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', syncId)
    .where('awaySince', 'is not', null)
    .executeTakeFirst();
  const sync = away ? await lockSync(tx, syncId) : null;
  if (sync) await changeSync(tx, sync, { awaySince: null, awayTries: 0, statusMessage: 'Copying.' });
}
