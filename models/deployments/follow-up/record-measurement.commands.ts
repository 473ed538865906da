import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { addLine } from '../deployment-log.commands.js';
import type { Deployment } from '../deployment.entity.js';
import type { Measurement } from './broken-condition.queries.js';

const LATE =
  'Its rollback conditions could not be measured in time: they hold nothing, and devices are asked all the same.';

/** Writes when the conditions were measured. People are notified of the first time that they could not be. */
export async function recordMeasurement(
  tx: TenantTransaction,
  deployment: Deployment,
  modelName: string,
  { at, isLate }: Measurement,
): Promise<void> {
  const isNews = isLate && !deployment.isLateTold;
  Object.assign(deployment, { measuredAt: at, isLateTold: deployment.isLateTold || isLate });
  await tx.em.flush();
  if (!isNews) return;
  const { id, version, createdBy = null } = deployment;
  await addLine(tx, id, LATE);
  await notify(tx, tx.tenantId, messages.deploymentUnmeasured({ id, modelName, version }, LATE, createdBy));
}
