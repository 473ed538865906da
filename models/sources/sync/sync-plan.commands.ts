import { conflict, unavailable } from '../../../core/errors/app-error.js';
import { allowLongStatements } from '../../orm/long-statements.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { holdTransactionLock } from '../../orm/transaction-lock.js';
import { findSyncById, type SyncRow } from './dataset-sync.queries.js';
import { PATH_CONFLICT, refusalOf, TOO_LARGE } from './dataset-sync.rules.js';
import type { EntryAction, SyncAmount, SyncPlan } from './dataset-sync.types.js';
import { countActions, countRemoved, firstPaths } from './sync-entry.queries.js';
import { compareEntries, deleteEntries } from './sync-plan.sql.js';
import { addFindings, changeSync, type Findings, lockSync } from './sync-row.commands.js';

/**
 * Writes of a sync's plan go one after the other until the end of their transactions. The sync's row is not
 * locked, so that whoever cancels the sync need not wait for a comparison of all files. To be asked for
 * before any row is locked.
 */
export const lockPlanning = (tx: TenantTransaction, syncId: string): Promise<void> =>
  holdTransactionLock(tx, `sync-plan:${syncId}`);

/**
 * Forgets what an earlier attempt wrote of the manifest.
 * @returns the number of this attempt: from now on no earlier one can write
 */
export async function restartPlan(tx: TenantTransaction, { id }: Pick<SyncRow, 'id'>): Promise<number> {
  await lockPlanning(tx, id);
  const sync = await lockSync(tx, id);
  if (sync?.status !== 'running' || sync.plan) throw replaced();
  const attempt = sync.planAttempt + 1;
  const empty = { errors: [], errorCount: 0, warnings: [], warningCount: 0 };
  await changeSync(tx, sync, { ...empty, planAttempt: attempt });
  await deleteEntries(tx, id);
  return attempt;
}

/**
 * Lets no other attempt write of the plan before the transaction ends.
 * @throws AppError service_unavailable when another attempt has begun, or the sync was planned or has ended
 */
export async function assertPlanning(tx: TenantTransaction, syncId: string, attempt: number): Promise<void> {
  await lockPlanning(tx, syncId);
  const own = await tx.kysely
    .selectFrom('dataset_sync')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', syncId)
    .where('planAttempt', '=', attempt)
    .where('status', '=', 'running')
    .where('plan', 'is', null)
    .executeTakeFirst();
  if (!own) throw replaced();
}

/**
 * An attempt that stalled may wake late and take the turn of the one that counts, which so has to begin
 * again: no reason to end the sync.
 */
const replaced = () => unavailable('Another attempt reads the manifest.');

/**
 * Compares the written manifest with the dataset and keeps the plan.
 * @throws AppError conflict when an empty manifest would remove everything; service_unavailable as
 *   assertPlanning does
 */
export async function storePlan(
  tx: TenantTransaction,
  { id, datasetId }: Pick<SyncRow, 'id' | 'datasetId'>,
  attempt: number,
): Promise<SyncPlan> {
  await assertPlanning(tx, id, attempt);
  await allowLongStatements(tx);
  await compareEntries(tx, id, datasetId);
  const amounts = await countActions(tx, id);
  const of = (action: EntryAction): SyncAmount => amounts.get(action) ?? { files: 0, bytes: 0 };
  const usable = USABLE.reduce((sum, action) => sum + of(action).files, 0);
  const lines = (await findSyncById(tx, id))?.errorCount ?? 0;
  const refused = lines + of('clash').files + of('too_large').files;
  const unnamed = await countRemoved(tx, id, datasetId);
  const refusal = refusalOf({ usable, refused, removed: unnamed.files });
  if (refusal !== null && refused === 0) throw conflict(refusal);
  const found = async (
    action: EntryAction,
    { code, message }: { code: string; message: string },
  ): Promise<Findings> => {
    const count = of(action).files;
    const paths = count === 0 ? [] : await firstPaths(tx, id, action);
    return { count, listed: paths.map((path) => ({ path, code, message })) };
  };
  const errors = [await found('clash', PATH_CONFLICT), await found('too_large', TOO_LARGE)];
  const warnings = [await found('outgrown', KEPT_EARLIER), await found('keep', KEPT_UPLOAD)];
  const plan: SyncPlan = {
    add: of('add'),
    change: of('change'),
    // Where every entry is refused, the sync ends as failed once its findings are kept, and removes nothing.
    remove: refusal === null ? unnamed : { files: 0, bytes: 0 },
    unchanged: of('same'),
    keep: of('keep'),
  };
  // From here on the sync's row is locked.
  for (const each of errors) await addFindings(tx, id, 'error', each);
  for (const each of warnings) await addFindings(tx, id, 'warning', each);
  await keepPlan(tx, id, plan);
  return plan;
}

const USABLE: readonly EntryAction[] = ['add', 'change', 'same', 'keep', 'outgrown'];
const KEPT_EARLIER = {
  code: 'kept_earlier',
  message: `${TOO_LARGE.message} The one that an earlier sync brought stays.`,
};
const KEPT_UPLOAD = {
  code: 'kept_upload',
  message: 'A file uploaded here has other bytes; it stays. Delete it to take that of the source.',
};

async function keepPlan(tx: TenantTransaction, syncId: string, plan: SyncPlan): Promise<void> {
  const sync = await lockSync(tx, syncId);
  if (!sync) throw replaced();
  await changeSync(tx, sync, {
    plan,
    filesTotal: plan.add.files + plan.change.files,
    bytesTotal: plan.add.bytes + plan.change.bytes,
    copyStartedAt: new Date(),
    statusMessage: 'Copying.',
  });
}
