import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { dispatch } from '../outbox/dispatch.js';
import { readModelName } from '../registry/model.queries.js';
import { deploymentTarget } from './create-deployment.commands.js';
import { countWayBack } from './devices/deployment-device.queries.js';
import { assertFree } from './devices/busy-device.queries.js';
import { countAgain, listFailed } from './devices/retry-devices.sql.js';
import { canGoBack } from './follow-up/roll-back-deployment.commands.js';
import { listHeldBack } from './devices/rollback-devices.sql.js';
import { addLine } from './deployment-log.commands.js';
import { assertAllowed } from './deployment-state.rules.js';
import { deploymentLook, deploymentStart } from './follow-up/deployment-work.types.js';
import type { Deployment } from './deployment.entity.js';
import { lockDeployment } from './deployment-lock.commands.js';
import type { Wish } from './deployment.types.js';

const ASKED: Readonly<Record<Wish, string>> = {
  pause: 'to pause it',
  resume: 'to resume it',
  abort: 'to abort it',
  retry: 'to try the failed devices again',
  rollback: 'to roll it back',
};

/**
 * Writes what somebody wants of a deployment, and wakes or starts the durable work that follows it. Asking twice is asking
 * once.
 * @throws AppError not_found; conflict where it is too early or too late, for a rollback without a version before, for a
 *   retry of what failed on its way back, and where another deployment of the model holds a device to be tried again or all
 *   that would go back
 */
export async function controlDeployment(
  tx: TenantTransaction,
  actor: Actor,
  id: string,
  wish: Wish,
): Promise<void> {
  const deployment = await lockDeployment(tx, id);
  if (!deployment) throw notFound('Deployment');
  assertAllowed(wish, deployment.status, deployment.wish ?? null);
  await assertSensible(tx, deployment, wish);
  if (deployment.wish === wish) return;
  Object.assign(deployment, { wish, updatedAt: new Date() });
  await wake(tx, deployment, wish);
  await tx.em.flush();
  const name = await readModelName(tx, deployment.modelId);
  await addLine(tx, id, `${actor.fullName ?? actor.email ?? 'Somebody'} asked ${ASKED[wish]}.`);
  await audit(tx, tx.tenantId, actor, {
    action: `deployment.${wish}`,
    target: deploymentTarget(id, name, deployment.version),
  });
}

async function assertSensible(tx: TenantTransaction, deployment: Deployment, wish: Wish): Promise<void> {
  if (wish === 'retry') return assertCanRetry(tx, deployment);
  if (wish === 'rollback') return assertCanGoBack(tx, deployment);
}

/** Devices that a later deployment has to do are left to that, and the others go back. */
async function assertCanGoBack(tx: TenantTransaction, deployment: Deployment): Promise<void> {
  if (await canGoBack(tx, deployment)) return;
  const { id, modelId, previousVersion = null, status } = deployment;
  await assertFree(tx, modelId, await listHeldBack(tx, id, previousVersion));
  throw conflict(
    'There is nothing to go back to: no device that is left to it had another version of the model before that is still there.',
    { status },
  );
}

async function assertCanRetry(tx: TenantTransaction, { id, modelId, status }: Deployment): Promise<void> {
  if ((await countWayBack(tx, id)).all > 0)
    throw conflict('What failed is its rollback; ask for the rollback again.', { status });
  await assertFree(tx, modelId, await listFailed(tx, id));
  if ((await countAgain(tx, id, false)) === 0)
    throw conflict('Nobody can be asked again: later deployments took its devices, or they are gone.', {
      status,
    });
}

/** A deployment that has ended gets a workflow of its own; the one that may still watch it is signalled that it is over. */
async function wake(tx: TenantTransaction, deployment: Deployment, wish: Wish): Promise<void> {
  const ref = { tenantId: tx.tenantId, deploymentId: deployment.id, attempt: deployment.attempt };
  await dispatch(tx, deploymentLook(ref));
  if (wish !== 'retry' && wish !== 'rollback') return;
  deployment.attempt += 1;
  await dispatch(tx, { kind: 'start', start: deploymentStart({ ...ref, attempt: deployment.attempt }) });
}
