import type { Selectable } from 'kysely';
import type { Tables } from '../../orm/entities.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { ExportRef } from './export-work.types.js';

/** An export as it is read, with the licence of its experiment; what its columns mean stands at the entity. */
export type ExportRow = Selectable<Tables['training_export']> & { readonly licence: string | null };

const rows = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('training_export as x')
    .innerJoin('training_experiment as e', (join) =>
      join.onRef('e.tenantId', '=', 'x.tenantId').onRef('e.id', '=', 'x.experimentId'),
    )
    .where('x.tenantId', '=', tx.tenantId)
    .selectAll('x')
    .select('e.licence');

export async function findExport(tx: TenantTransaction, id: string): Promise<ExportRow | null> {
  return (await rows(tx).where('x.id', '=', id).executeTakeFirst()) ?? null;
}

/** Null when the attempt is not the current one any more. */
export async function findExportAttempt(tx: TenantTransaction, ref: ExportRef): Promise<ExportRow | null> {
  const found = await findExport(tx, ref.exportId);
  return found?.attempt === ref.attempt ? found : null;
}

/** Newest first, with the true total. */
export async function listExports(
  tx: TenantTransaction,
  experimentId: string,
  limit: number,
): Promise<{ items: ExportRow[]; total: number }> {
  const found = await rows(tx)
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .where('x.experimentId', '=', experimentId)
    .orderBy('x.createdAt', 'desc')
    .orderBy('x.id')
    .limit(limit)
    .execute();
  return { items: found.map(({ total, ...row }) => row), total: found[0]?.total ?? 0 };
}

/** The one that has not ended, or null. */
export async function findActiveExport(
  tx: TenantTransaction,
  experimentId: string,
): Promise<ExportRow | null> {
  const active = rows(tx)
    .where('x.experimentId', '=', experimentId)
    .where('x.status', 'in', ['QUEUED', 'RUNNING']);
  return (await active.executeTakeFirst()) ?? null;
}
