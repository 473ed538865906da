import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import { anyOf } from '../orm/any-of.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type {
  DeletionLogLine,
  DeletionRow,
  DeletionStepRow,
  Erased,
  ErasureCounts,
} from './deletion.types.js';
import { findingsOf } from './erasure-counts.rules.js';
import { TenantDeletionLog } from './tenant-deletion-log.entity.js';

/** One deletion with its checklist and its log. */
export interface DeletionDetail {
  readonly deletion: DeletionRow;
  readonly steps: readonly DeletionStepRow[];
  readonly log: readonly DeletionLogLine[];
}

const deletions = (tx: PlatformTransaction) =>
  tx.kysely
    .selectFrom('tenant_deletion')
    .select([
      'id as deletionId',
      'erasedTenant as tenantId',
      'tenantCode',
      'status',
      'statusMessage',
      'attempt',
    ])
    .select(['askedBy', 'askedByEmail', 'certificate', 'createdAt', 'updatedAt', 'startedAt', 'finishedAt']);

/** Newest first; at most 1,000 with their true number. */
export const listDeletions = (
  db: Database,
): Promise<{ items: Array<Omit<DeletionDetail, 'log'>>; total: number }> =>
  db.inPlatform(async (tx) => {
    const found = await deletions(tx)
      .select(({ fn }) => fn.countAll<number>().over().as('total'))
      .orderBy('createdAt', 'desc')
      .orderBy('id')
      .limit(MAX_PLAIN_LIST)
      .execute();
    const steps = await listDeletionSteps(
      tx,
      found.map((deletion) => deletion.deletionId),
    );
    const items = found.map((deletion) => ({ deletion, steps: steps.get(deletion.deletionId) ?? [] }));
    return { items, total: found[0]?.total ?? 0 };
  });

export async function findDeletion(tx: PlatformTransaction, id: string): Promise<DeletionRow | null> {
  return (await deletions(tx).where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function findDeletionOf(tx: PlatformTransaction, tenantId: string): Promise<DeletionRow | null> {
  return (await deletions(tx).where('erasedTenant', '=', tenantId).executeTakeFirst()) ?? null;
}

export const readDeletion = (db: Database, id: string): Promise<DeletionDetail | null> =>
  db.inPlatform((tx) => findDeletionDetail(tx, id));

export async function findDeletionDetail(
  tx: PlatformTransaction,
  id: string,
): Promise<DeletionDetail | null> {
  const deletion = await findDeletion(tx, id);
  if (!deletion) return null;
  const steps = (await listDeletionSteps(tx, [id])).get(id) ?? [];
  return { deletion, steps, log: await listDeletionLog(tx, id) };
}

/** Whether a tenant of this code was erased, or is about to be. */
export async function isErasedCode(tx: PlatformTransaction, code: string): Promise<boolean> {
  const found = tx.kysely.selectFrom('tenant_deletion').select('id').where('tenantCode', '=', code).limit(1);
  return (await found.execute()).length > 0;
}

/** Erasures that were over after a moment, those first that were not looked at for longest. */
export const listDoneSince = (tx: PlatformTransaction, since: Date, limit: number): Promise<Erased[]> =>
  tx.kysely
    .selectFrom('tenant_deletion')
    .select(['id as deletionId', 'erasedTenant as tenantId', 'tenantCode'])
    .where('status', '=', 'done')
    .where('finishedAt', '>=', since)
    .orderBy('lookedAt', (order) => order.asc().nullsFirst())
    .orderBy('finishedAt')
    .orderBy('id')
    .limit(limit)
    .execute();

/** The steps of several deletions at once, in order, by deletion. */
export async function listDeletionSteps(
  tx: PlatformTransaction,
  deletionIds: readonly string[],
): Promise<Map<string, DeletionStepRow[]>> {
  const rows = await tx.kysely
    .selectFrom('tenant_deletion_step')
    .select(['deletionId', 'key', 'status', 'message', 'counts', 'runs', 'startedAt', 'finishedAt'])
    .where('deletionId', '=', anyOf(deletionIds))
    .orderBy('position')
    .execute();
  const found = new Map<string, DeletionStepRow[]>(deletionIds.map((id) => [id, []]));
  for (const { deletionId, ...step } of rows) found.get(deletionId)?.push(step);
  return found;
}

/** A line for each beginning, end and failure of a step, so that its length is bounded by what happened. */
const MAX_LOG_LINES = 5000;

/** The newest lines, oldest first. */
async function listDeletionLog(tx: PlatformTransaction, deletionId: string): Promise<DeletionLogLine[]> {
  const newest = await tx.kysely
    .selectFrom('tenant_deletion_log')
    .select(['at', 'step', 'message'])
    .where('deletionId', '=', deletionId)
    .orderBy('id', 'desc')
    .limit(MAX_LOG_LINES)
    .execute();
  return newest.reverse();
}

/** @param step null: of the deletion as a whole */
export async function logDeletion(
  tx: PlatformTransaction,
  deletionId: string,
  step: DeletionStepKey | null,
  message: string,
): Promise<void> {
  tx.em.create(TenantDeletionLog, { deletionId, step, message: message.slice(0, 2000) });
  await tx.em.flush();
}

/** Notifies the global administrators, in the change's own transaction. */
export const notifyOfDeletion = (
  tx: PlatformTransaction,
  { deletionId, tenantId, tenantCode }: Erased,
  state: 'started' | 'done' | 'failed',
  detail: string,
): Promise<void> => {
  const tenant = { id: tenantId, name: tenantCode, code: tenantCode, deletionId };
  return notify(tx, null, messages.tenantDeletion(tenant, state, detail));
};

/**
 * Writes down what came for a tenant after its erasure, in the log of the deletion and on the platform's own
 * chain. Before it is removed: whoever is killed in between finds and writes it again, so that nothing goes
 * without a record.
 */
export async function recordLateArrivals(
  tx: PlatformTransaction,
  { deletionId, tenantId, tenantCode }: Erased,
  found: ErasureCounts,
): Promise<void> {
  await logDeletion(
    tx,
    deletionId,
    null,
    `Came after the end and is removed: ${findingsOf(found).join(', ')}.`,
  );
  const counts = Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
  await audit(tx, null, SYSTEM_ACTOR, {
    action: 'tenant.late_removal',
    target: { kind: 'tenant', id: tenantId, label: tenantCode },
    detail: { deletion_id: deletionId, found: counts },
  });
}
