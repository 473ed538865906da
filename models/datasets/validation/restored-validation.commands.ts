import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { lockDatasetById } from '../catalog/dataset-change.commands.js';
import { Dataset } from '../catalog/dataset.entity.js';
import { validationStart } from '../catalog/dataset-work.types.js';

/** The row says what is left to be validated: the next attempt goes on there. */
export async function restartRestoredValidation(tx: TenantTransaction, datasetId: string): Promise<void> {
  const locked = await lockDatasetById(tx, datasetId);
  if (!locked?.validationActive) return;
  const dataset = await tx.em.findOneOrFail(Dataset, { id: datasetId }, { refresh: true });
  const attempt = locked.validationAttempt + 1;
  Object.assign(dataset, { validationAttempt: attempt, updatedAt: new Date() });
  await tx.em.flush();
  await dispatch(tx, {
    kind: 'start',
    start: validationStart({ tenantId: tx.tenantId, datasetId, attempt }),
  });
}
