import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { readModelName } from '../../registry/model.queries.js';
import { deploymentTarget } from '../create-deployment.commands.js';
import type { DeviceEvents } from '../devices/device-events.js';
import { hasOpenDevices } from '../devices/deployment-device.queries.js';
import { cancelUnstarted } from '../devices/withdrawal.sql.js';
import { lockDeployment } from '../deployment-lock.commands.js';
import { addLine } from '../deployment-log.commands.js';
import { isActive } from '../deployment-state.rules.js';
import { type DeploymentRef, deploymentStart } from './deployment-work.types.js';
import type { Deployment } from '../deployment.entity.js';
import { countStepsOf } from '../deployment.queries.js';
import type { DeploymentStatus } from '../deployment.types.js';

const MAX_MESSAGE = 2000;

/** Writes how it is now; a change of the status or of what is under way leaves a line. */
export async function moveDeployment(
  tx: TenantTransaction,
  deployment: Deployment,
  status: DeploymentStatus,
  message: string,
  now: Date,
): Promise<void> {
  const isNews = deployment.status !== status;
  const statusMessage = message.slice(0, MAX_MESSAGE);
  if (!isNews && deployment.statusMessage === statusMessage) return tx.em.flush();
  Object.assign(deployment, { status, statusMessage, updatedAt: now });
  await tx.em.flush();
  if (isNews) await addLine(tx, deployment.id, message);
}

/** Writes where its devices are, for lists of deployments. */
export async function keepCounts(tx: TenantTransaction, deployment: Deployment): Promise<void> {
  deployment.counts = await countStepsOf(tx, deployment.id);
  await tx.em.flush();
}

type End = 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'ROLLED_BACK';

const ACTIONS: Readonly<Record<End, string>> = {
  SUCCEEDED: 'deployment.succeed',
  FAILED: 'deployment.fail',
  ABORTED: 'deployment.aborted',
  ROLLED_BACK: 'deployment.rolled_back',
};

/** It has come to an end, which may be undone or tried again. Its conditions are looked at on, where it has succeeded. */
export async function endDeployment(
  tx: TenantTransaction,
  deployment: Deployment,
  status: End,
  message: string,
  now: Date,
): Promise<void> {
  const isWatched = status === 'SUCCEEDED' && deployment.isWatched;
  Object.assign(deployment, { finishedAt: now, wish: null, isWatched });
  await moveDeployment(tx, deployment, status, message, now);
  const modelName = await readModelName(tx, deployment.modelId);
  const { id, version } = deployment;
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: ACTIONS[status],
    target: deploymentTarget(id, modelName, version),
    outcome: status === 'FAILED' ? 'failed' : 'success',
    detail: { message },
  });
  if (status === 'FAILED')
    await notify(
      tx,
      tx.tenantId,
      messages.deploymentFailed({ id, modelName, version }, message, deployment.createdBy ?? null),
    );
}

/**
 * The work ended early: what has not begun is not asked any more, and nothing is watched. Work of its own sees devices out that
 * are at it; should that end early too, it is found with what stalled. Idempotent.
 */
export async function giveUpDeployment(
  tx: TenantTransaction,
  { deploymentId, attempt }: DeploymentRef,
  reason: string,
  now: Date,
  deviceEvents: DeviceEvents,
): Promise<void> {
  const deployment = await lockDeployment(tx, deploymentId, attempt);
  if (!deployment || !isActive(deployment)) return;
  await cancelUnstarted({ tx, deployment, deviceEvents });
  await keepCounts(tx, deployment);
  await endEarly(tx, deployment, reason, now);
  if (await hasOpenDevices(tx, deploymentId)) await beginAnew(tx, deployment);
}

async function endEarly(
  tx: TenantTransaction,
  deployment: Deployment,
  reason: string,
  now: Date,
): Promise<void> {
  const { status } = deployment;
  if (status === 'IN_PROGRESS' || status === 'ROLLING_BACK')
    return endDeployment(tx, deployment, 'FAILED', reason, now);
  if (status === 'PENDING' || status === 'PAUSED')
    return endDeployment(tx, deployment, 'ABORTED', reason, now);
  Object.assign(deployment, { isWatched: false, wish: null, updatedAt: now });
  await tx.em.flush();
}

/**
 * Begins the work of a deployment anew, from where its rows stand: its workflow is gone. One that has ended is followed for as
 * long as devices are at it.
 * @param attempt that of the lost workflow; a newer one stays as it is
 */
export async function restartDeployment(tx: TenantTransaction, id: string, attempt: number): Promise<void> {
  const deployment = await lockDeployment(tx, id, attempt);
  if (!deployment) return;
  if (isActive(deployment) || (await hasOpenDevices(tx, id))) await beginAnew(tx, deployment);
}

async function beginAnew(tx: TenantTransaction, deployment: Deployment): Promise<void> {
  const { tenantId } = tx;
  deployment.attempt += 1;
  deployment.updatedAt = new Date();
  await tx.em.flush();
  const ref = { tenantId, deploymentId: deployment.id, attempt: deployment.attempt };
  await dispatch(tx, { kind: 'start', start: deploymentStart(ref) });
}
