import type { TenantTransaction } from '../orm/transaction.js';
import { ask, BATCH, waitsFor } from './ask-devices.commands.js';
import { countWayBack } from './deployment-device.queries.js';
import { cancelUnstarted, queueRollback, requeueFailed } from './deployment-device.sql.js';
import { endDeployment, moveDeployment } from './deployment-progress.commands.js';
import { AT_ONCE, type NextLook, NO_MORE } from './deployment-state.rules.js';
import type { Deployment } from './deployment.entity.js';
import { countSteps } from './deployment.queries.js';
import type { Look } from './deployment-look.js';
import { countGroup } from './group-verdict.rules.js';

/** A rollback condition holds while devices are still to come: it fails, and goes back. */
export async function failAndGoBack(
  tx: TenantTransaction,
  deployment: Deployment,
  message: string,
  now: Date,
): Promise<NextLook> {
  await cancelUnstarted(tx, deployment);
  await endDeployment(tx, deployment, 'FAILED', message, now);
  return wishRollback(tx, deployment);
}

/** Asks for the rollback, where there is something to go back to. */
export async function wishRollback(tx: TenantTransaction, deployment: Deployment): Promise<NextLook> {
  deployment.isWatched = false;
  const { withPrevious } = await countWayBack(tx, deployment.id);
  const isPossible = withPrevious > 0 || (deployment.previousVersion ?? null) !== null;
  deployment.wish = isPossible ? 'rollback' : null;
  await tx.em.flush();
  return isPossible ? AT_ONCE : NO_MORE;
}

export async function beginRollback({ tx, deployment, now }: Look): Promise<NextLook> {
  const again = await requeueFailed(tx, deployment, true);
  const back = again + (await queueRollback(tx, deployment, deployment.previousVersion ?? null));
  Object.assign(deployment, { wish: null, finishedAt: null, isWatched: false });
  const message = `${back} ${back === 1 ? 'device goes' : 'devices go'} back to the version before.`;
  await moveDeployment(tx, deployment, 'ROLLING_BACK', message, now);
  return AT_ONCE;
}

/** At once, whatever the window says. */
export async function goBack({ tx, deployment, row, now }: Look): Promise<NextLook> {
  if ((await ask(tx, deployment, row, deployment.groups.length, null)) === BATCH) return AT_ONCE;
  const counts = (await countSteps(tx, [deployment.id])).get(deployment.id) ?? [];
  const all = deployment.groups.map((_, at) => countGroup(counts, at));
  const open = all.reduce((sum, count) => sum + count.open, 0);
  if (open > 0) return waitsFor(deployment, now, null, open);
  const { failing } = await countWayBack(tx, deployment.id);
  if (failing === 0) await endDeployment(tx, deployment, 'ROLLED_BACK', 'Rolled back.', now);
  else
    await endDeployment(
      tx,
      deployment,
      'FAILED',
      `${failing} ${failing === 1 ? 'device' : 'devices'} could not go back; ask for the rollback again.`,
      now,
    );
  return NO_MORE;
}
