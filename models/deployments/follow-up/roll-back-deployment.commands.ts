import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { deploymentTarget } from '../create-deployment.commands.js';
import { addLine } from '../deployment-log.commands.js';
import { AT_ONCE, type NextLook } from '../deployment-state.rules.js';
import type { Deployment } from '../deployment.entity.js';
import { countWayBack, type WayBack } from '../devices/deployment-device.queries.js';
import { cancelUnstarted, cancelWithoutWayBack, freeExpired, nextExpiry } from '../devices/withdrawal.sql.js';
import { countAgain, requeueFailed } from '../devices/retry-devices.sql.js';
import { findBusyDevice } from '../devices/busy-device.queries.js';
import { countGoingBack, listHeldBack, queueRollback } from '../devices/rollback-devices.sql.js';
import { ask, BATCH, waitsFor } from './ask-devices.commands.js';
import type { Look } from './deployment-look.js';
import { endDeployment, moveDeployment } from './deployment-progress.commands.js';

/** Whether a rollback would send a device back. */
export const canGoBack = async (
  tx: TenantTransaction,
  { id, previousVersion }: Deployment,
): Promise<boolean> =>
  (await countAgain(tx, id, true)) > 0 || (await countGoingBack(tx, id, previousVersion ?? null)) > 0;

/** A rollback condition holds while devices are still to come: it fails, and goes back. */
export async function failAndGoBack(look: Look, broken: string): Promise<NextLook> {
  const { tx, deployment, now } = look;
  await cancelUnstarted(look);
  await endDeployment(tx, deployment, 'FAILED', brokenText(broken), now);
  return goBackByItself(look, broken);
}

const brokenText = (broken: string): string => `A rollback condition holds: ${broken}.`;

/** Asks for the rollback, where there is something to go back to; people are notified why in any case. */
export async function goBackByItself({ tx, deployment, row }: Look, broken: string): Promise<NextLook> {
  const { id, version } = deployment;
  const isPossible = await canGoBack(tx, deployment);
  Object.assign(deployment, { isWatched: false, wish: isPossible ? 'rollback' : null });
  await tx.em.flush();
  const what = isPossible ? 'It is rolled back.' : await noWayText(tx, deployment);
  const message = `${brokenText(broken)} ${what}`;
  await addLine(tx, id, message);
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'deployment.auto_rollback',
    target: deploymentTarget(id, row.modelName, version),
    outcome: isPossible ? 'success' : 'failed',
    detail: { condition: broken },
  });
  const named = { id, modelName: row.modelName, version };
  await notify(tx, tx.tenantId, messages.deploymentFailed(named, message, deployment.createdBy ?? null));
  return AT_ONCE;
}

async function noWayText(tx: TenantTransaction, deployment: Deployment): Promise<string> {
  const { id, modelId, previousVersion = null } = deployment;
  const holder = await findBusyDevice(tx, modelId, await listHeldBack(tx, id, previousVersion));
  return holder
    ? `It is not rolled back: device ${holder.deviceKey} still has deployment ${holder.deploymentId} of this model to do, and is left to that.`
    : 'There is no version to go back to.';
}

/** Somebody, or a condition that holds, asked for it. */
export async function beginRollback(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  const again = await requeueFailed(look, true);
  const back = again + (await queueRollback(look, deployment.previousVersion ?? null));
  Object.assign(deployment, { wish: null, finishedAt: null, isWatched: false });
  const message = `${back} ${back === 1 ? 'device goes' : 'devices go'} back to the version before.`;
  await moveDeployment(tx, deployment, 'ROLLING_BACK', message, now);
  return AT_ONCE;
}

/**
 * At once, whatever the window says. A device that a new deployment takes meanwhile is waited for no longer. Those without a
 * way back that are still at it are not waited for; they end as they do after a failure.
 */
export async function goBack(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  await cancelWithoutWayBack(look);
  // A rollback that ended early left commands that end by themselves.
  await freeExpired(look);
  if ((await ask(look, deployment.groups.length, null)) === BATCH) return AT_ONCE;
  const way = await countWayBack(tx, deployment.id);
  if (way.open > 0) return waitsFor(deployment, now, await nextExpiry(tx, deployment, null), way.open);
  const isBack = way.failed === 0 && way.back > 0;
  await endDeployment(tx, deployment, isBack ? 'ROLLED_BACK' : 'FAILED', wayBackText(way), now);
  return AT_ONCE;
}

function wayBackText({ all, back, failed }: WayBack): string {
  if (failed > 0)
    return `${failed} ${failed === 1 ? 'device' : 'devices'} could not go back; ask for the rollback again.`;
  if (back === 0) return 'No device went back: they were deleted, or later deployments took them.';
  return `Rolled back: ${back} of ${all} ${all === 1 ? 'device' : 'devices'} went back.`;
}
