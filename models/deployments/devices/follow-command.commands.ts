import type { Acknowledged } from '../../edge/commands/command-follower.js';
import { recordInstalled } from '../../edge/installed/installed-model.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { findByCommand } from './deployment-device.queries.js';
import { DeploymentDevice } from './deployment-device.entity.js';
import { attemptOf, lockFreeDeployment } from '../deployment-lock.commands.js';
import { addLine } from '../deployment-log.commands.js';
import { DEVICE_STEPS, type DeviceStep } from '../deployment.types.js';
import { deploymentLook } from '../follow-up/deployment-work.types.js';
import type { DeviceMove } from './follow-command.types.js';
import { readReport, reportText } from './device-report.rules.js';

/**
 * Follows what a device says of the command that carries a deployment, in the transaction of its acknowledgement: the step
 * of the device, what is installed on it, a line for each new step, and the call of the durable work once it has come to
 * an end.
 * @returns null for a command of something else
 */
export async function followCommand(
  tx: TenantTransaction,
  acknowledged: Acknowledged,
  now: Date,
): Promise<DeviceMove | null> {
  const { status } = acknowledged;
  const found = await findByCommand(tx, acknowledged.commandId);
  if (!found) return null;
  if (status !== 'running') await callWork(tx, found.deploymentId);
  const device = await tx.em.findOneOrFail(DeploymentDevice, { id: found.id }, { refresh: true });
  const before = device.step;
  Object.assign(device, changeOf(acknowledged, before, now), { updatedAt: now });
  await tx.em.flush();
  if (status === 'succeeded' && device.deviceId)
    await recordInstalled(tx, device.deviceId, device.modelId, device.version, now);
  const { deploymentId, deviceKey, step, progress = null, message = null } = device;
  if (isFurther(before, step))
    await addLine(tx, deploymentId, reportText(deviceKey, step, message), { deviceKey, step });
  return { deploymentId, deviceKey, step, progress, message };
}

function changeOf(
  { status, result, isLate }: Acknowledged,
  before: DeviceStep,
  now: Date,
): Partial<DeploymentDevice> {
  const { step, progress, message } = readReport(result);
  if (status === 'running') return { step: step ?? before, progress, message, hasBegun: true };
  // A command that expired before its device could begin is no failure of the version: the device is asked again.
  if (status === 'failed' && isLate) return { step: 'queued', progress: null, message, commandId: null };
  const ended = { step: status, progress: null, message, hasBegun: true, finishedAt: now };
  return status === 'failed' ? { ...ended, failedStep: before } : ended;
}

/** A device may begin anew; that leaves no second line. */
const isFurther = (before: DeviceStep, reached: DeviceStep): boolean =>
  DEVICE_STEPS.indexOf(reached) > DEVICE_STEPS.indexOf(before);

/**
 * Once, for as many devices as end until it looks. Never waits: whoever has the deployment locked may wait for the command
 * that this acknowledgement holds, and has looked before it ended.
 */
async function callWork(tx: TenantTransaction, id: string): Promise<void> {
  const deployment = await lockFreeDeployment(tx, id);
  if (deployment?.isCalled) return;
  if (deployment) {
    deployment.isCalled = true;
    await tx.em.flush();
  }
  const { attempt } = deployment ?? (await attemptOf(tx, id).executeTakeFirstOrThrow());
  await dispatch(tx, deploymentLook({ tenantId: tx.tenantId, deploymentId: id, attempt }));
}
