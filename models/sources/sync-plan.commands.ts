import { conflict, unavailable } from '../../core/errors/app-error.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { PATH_CONFLICT, refusalOf, TOO_LARGE } from './dataset-sync.rules.js';
import { addFindings, findSyncById, type SyncRow } from './dataset-sync.repository.js';
import type { SyncAmount, SyncPlan } from './dataset-sync.types.js';
import { type ActionAmount, compareEntries, countActions, countRemoved, deleteEntries, firstPaths } from './sync-entry.repository.js';

/**
 * Writes of a sync's plan go one after the other until the end of their transactions. The sync's row is not locked, so that whoever cancels
 * the sync need not wait for a comparison of all files. To be asked for before any row is locked.
 */
export async function lockPlanning(tx: TenantTransaction, syncId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('sync-plan:' || $1::text, 0))", [syncId]);
}

/** Forgets what an earlier attempt wrote of the manifest. @returns the number of this attempt: from now on no earlier one can write */
export async function restartPlan(tx: TenantTransaction, sync: SyncRow): Promise<number> {
  await lockPlanning(tx, sync.id);
  const [row] = await tx.query<{ plan_attempt: number }>(
    `update dataset_sync set errors = '[]', error_count = 0, warnings = '[]', warning_count = 0, plan_attempt = plan_attempt + 1, updated_at = now()
     where tenant_id = $1 and id = $2 and status = 'running' and plan is null returning plan_attempt`,
    [tx.tenantId, sync.id],
  );
  if (!row) throw replaced();
  await deleteEntries(tx, sync.id);
  return row.plan_attempt;
}

/**
 * Lets no other attempt write of the plan before the transaction ends.
 * @throws AppError service_unavailable when another attempt has begun, or the sync was planned or has ended
 */
export async function assertPlanning(tx: TenantTransaction, syncId: string, attempt: number): Promise<void> {
  await lockPlanning(tx, syncId);
  const [row] = await tx.query("select 1 from dataset_sync where tenant_id = $1 and id = $2 and plan_attempt = $3 and status = 'running' and plan is null", [
    tx.tenantId,
    syncId,
    attempt,
  ]);
  if (!row) throw replaced();
}

/** An attempt that stalled may wake late and take the turn of the one that counts, which so has to begin again: no reason to end the sync. */
const replaced = () => unavailable('Another attempt reads the manifest.');

/**
 * Compares the written manifest with the dataset and keeps the plan.
 * @throws AppError conflict when an empty manifest would remove everything; service_unavailable as assertPlanning does
 */
export async function storePlan(tx: TenantTransaction, sync: SyncRow, attempt: number): Promise<SyncPlan> {
  await assertPlanning(tx, sync.id, attempt);
  await allowLongStatements(tx);
  await compareEntries(tx, sync.id, sync.dataset_id);
  const amounts = await countActions(tx, sync.id);
  const of = (action: ActionAmount['action']): SyncAmount => {
    const found = amounts.find((amount) => amount.action === action);
    return { files: found?.files ?? 0, bytes: found?.bytes ?? 0 };
  };
  const usable = (['add', 'change', 'same', 'keep', 'outgrown'] as const).reduce((sum, action) => sum + of(action).files, 0);
  const refused = ((await findSyncById(tx, sync.id))?.error_count ?? 0) + of('clash').files + of('too_large').files;
  const unnamed = await countRemoved(tx, sync.id, sync.dataset_id);
  const refusal = refusalOf({ usable, refused, removed: unnamed.files });
  if (refusal !== null && refused === 0) throw conflict(refusal);
  const findings = async (action: ActionAmount['action'], { code, message }: { code: string; message: string }) => ({
    count: of(action).files,
    listed: of(action).files === 0 ? [] : (await firstPaths(tx, sync.id, action)).map((path) => ({ path, code, message })),
  });
  const errors = [await findings('clash', PATH_CONFLICT), await findings('too_large', TOO_LARGE)];
  const warnings = [await findings('outgrown', KEPT_EARLIER), await findings('keep', KEPT_UPLOAD)];
  // Where every entry is refused, the sync ends as failed once its findings are kept, and removes nothing.
  const plan: SyncPlan = { add: of('add'), change: of('change'), remove: refusal === null ? unnamed : { files: 0, bytes: 0 }, unchanged: of('same'), keep: of('keep') };
  // From here on the sync's row is locked.
  for (const found of errors) await addFindings(tx, sync.id, 'error', found);
  for (const found of warnings) await addFindings(tx, sync.id, 'warning', found);
  await tx.execute(
    `update dataset_sync set plan = $3, files_total = $4, bytes_total = $5, copy_started_at = now(), updated_at = now(),
       status_message = case when cancel_asked_at is null then 'Copying.' else status_message end where tenant_id = $1 and id = $2`,
    [tx.tenantId, sync.id, JSON.stringify(plan), plan.add.files + plan.change.files, plan.add.bytes + plan.change.bytes],
  );
  return plan;
}

const KEPT_EARLIER = { code: 'kept_earlier', message: `${TOO_LARGE.message} The one that an earlier sync brought stays.` };
const KEPT_UPLOAD = { code: 'kept_upload', message: 'A file uploaded here has other bytes; it stays. Delete it to take that of the source.' };
