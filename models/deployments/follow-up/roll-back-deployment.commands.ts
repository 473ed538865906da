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
import {
  countGoingBack,
  countHeldBack,
  countLeft,
  listHeldBack,
  queueRollback,
} from '../devices/rollback-devices.sql.js';
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

/**
 * Asks for the rollback, where there is something to go back to; people are notified why in any case. While other deployments
 * have all of its devices to do it is watched on, and people are notified once: a later look sends back what has become free.
 */
export async function goBackByItself({ tx, deployment, row }: Look, broken: string): Promise<NextLook> {
  const { id, version, isHeldTold, previousVersion = null } = deployment;
  const isPossible = await canGoBack(tx, deployment);
  const held = await countHeldBack(tx, id, previousVersion);
  const isHeld = !isPossible && held > 0;
  Object.assign(deployment, {
    isWatched: isHeld,
    isHeldTold: isHeldTold || isHeld,
    wish: isPossible ? 'rollback' : null,
  });
  await tx.em.flush();
  if (isHeld && isHeldTold) return AT_ONCE;
  const what = isPossible ? `It is rolled back${heldText(held)}.` : await noWayText(tx, deployment, held);
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

const devicesText = (count: number): string => (count === 1 ? '1 device' : `${count} devices`);

const heldText = (held: number): string =>
  held === 0
    ? ''
    : `; ${devicesText(held)} ${held === 1 ? 'is' : 'are'} left to another deployment of this model`;

async function noWayText(tx: TenantTransaction, deployment: Deployment, held: number): Promise<string> {
  if (held === 0) return 'There is no version to go back to.';
  const { id, modelId, previousVersion = null } = deployment;
  const holder = await findBusyDevice(tx, modelId, await listHeldBack(tx, id, previousVersion));
  return holder
    ? `It is not rolled back: device ${holder.deviceKey} still has deployment ${holder.deploymentId} of this model to do, and is left to that.`
    : `It is not rolled back${heldText(held)}.`;
}

/** Somebody, or a condition that holds, asked for it. */
export async function beginRollback(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  const { id, previousVersion = null } = deployment;
  if ((await cancelWithoutWayBack(look)).hasMore) return AT_ONCE;
  if ((await requeueFailed(look, true)).hasMore) return AT_ONCE;
  if ((await queueRollback(look, previousVersion)).hasMore) return AT_ONCE;
  const { open: back } = await countWayBack(tx, id);
  const held = await countHeldBack(tx, id, previousVersion);
  Object.assign(deployment, { wish: null, finishedAt: null, isWatched: false });
  const message = `${devicesText(back)} ${back === 1 ? 'goes' : 'go'} back to the version before${heldText(held)}.`;
  await moveDeployment(tx, deployment, 'ROLLING_BACK', message, now);
  return AT_ONCE;
}

/**
 * At once, whatever the window says. A device that a new deployment takes meanwhile is waited for no longer. Those without a
 * way back that are still at it are not waited for; they end as they do after a failure.
 */
export async function goBack(look: Look): Promise<NextLook> {
  const { tx, deployment, now } = look;
  if ((await cancelWithoutWayBack(look)).hasMore) return AT_ONCE;
  // A rollback that ended early left commands that end by themselves.
  if ((await freeExpired(look)).hasMore) return AT_ONCE;
  if ((await ask(look, deployment.groups.length, null)) === BATCH) return AT_ONCE;
  const way = await countWayBack(tx, deployment.id);
  if (way.open > 0) return waitsFor(deployment, now, await nextExpiry(tx, deployment, null), way.open);
  const isBack = way.failed === 0 && way.back > 0;
  const left = await countLeft(tx, deployment.id, deployment.previousVersion ?? null);
  await endDeployment(tx, deployment, isBack ? 'ROLLED_BACK' : 'FAILED', wayBackText(way, left), now);
  return AT_ONCE;
}

function wayBackText({ all, back, failed }: WayBack, left: number): string {
  if (failed > 0) return `${devicesText(failed)} could not go back; ask for the rollback again.`;
  if (back === 0) return 'No device went back: they were deleted, or later deployments took them.';
  const leftText =
    left === 0
      ? ''
      : `; ${devicesText(left)} ${left === 1 ? 'was' : 'were'} left to another deployment of this model`;
  return `Rolled back: ${back} of ${devicesText(all)} went back${leftText}.`;
}
