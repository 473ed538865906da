import type { TenantTransaction } from '../orm/transaction.js';

/** Syncs that the history of a dataset keeps. */
const KEPT = 1000;
/** Of them those that keep which errors and warnings they had; the others keep how many. */
const KEPT_WITH_FINDINGS = 200;
/** What one transaction takes of a history that grew before there was a bound. */
const MOST_AT_ONCE = 5000;

/** Keeps the newest syncs of a dataset: a schedule adds a hundred thousand a year. For the transaction that ends one. @param datasetId row id */
export async function trimHistory(tx: TenantTransaction, datasetId: string): Promise<void> {
  const older = (count: number) =>
    `select id from dataset_sync where tenant_id = $1 and dataset_id = $2 and status not in ('queued', 'running') order by created_at desc, id desc offset ${count} limit ${MOST_AT_ONCE}`;
  await tx.execute(`delete from dataset_sync where tenant_id = $1 and id in (${older(KEPT)})`, [tx.tenantId, datasetId]);
  await tx.execute(
    `update dataset_sync set warnings = '[]', errors = '[]' where tenant_id = $1 and id in (${older(KEPT_WITH_FINDINGS)}) and (warnings <> '[]' or errors <> '[]')`,
    [tx.tenantId, datasetId],
  );
}
