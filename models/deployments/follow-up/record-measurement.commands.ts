import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { addLine } from '../deployment-log.commands.js';
import type { Deployment } from '../deployment.entity.js';
import type { Measurement } from './broken-condition.queries.js';

const LATE =
  'Its rollback conditions could not be measured in time. A group that is watched is watched until they are; devices that may begin are asked all the same.';

const tooFewLine = (tooFew: string): string =>
  `There are too few records to measure a rollback condition (${tooFew}): it holds nothing, and no group waits for more.`;

/** Writes when the conditions were measured. Once each, people are notified that they could not be, and the log says of too few records. */
export async function recordMeasurement(
  tx: TenantTransaction,
  deployment: Deployment,
  modelName: string,
  { at, isLate, tooFew }: Measurement,
): Promise<void> {
  const { isLateTold, isFewTold, measuredAt } = deployment;
  Object.assign(deployment, {
    measureTriedAt: at,
    measuredAt: isLate ? measuredAt : at,
    isLateTold: isLateTold || isLate,
    isFewTold: isFewTold || tooFew !== null,
  });
  await tx.em.flush();
  const { id, version, createdBy = null } = deployment;
  if (tooFew !== null && !isFewTold) await addLine(tx, id, tooFewLine(tooFew));
  if (!isLate || isLateTold) return;
  await addLine(tx, id, LATE);
  await notify(tx, tx.tenantId, messages.deploymentUnmeasured({ id, modelName, version }, LATE, createdBy));
}
