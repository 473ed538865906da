import { randomUUID } from 'node:crypto';
import { notFound } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { notifyAtCommit } from '../orm/notify.js';
import { holdRow } from '../orm/hold-row.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { WakeTarget } from '../outbox/wake.types.js';
import { WORKLOADS_CHANNEL } from './workload-channel.js';
import { sealEnv } from './workload-env.js';
import { Workload } from './workload.entity.js';
import { isDown } from './workload.rules.js';
import type { NewWorkload } from './workload.types.js';

const WAITING = { status: 'pending', reason: 'Waiting for a host.' } as const;

/** Its host may still add tails of its log meanwhile. */
const locked = (tx: TenantTransaction, name: string): Promise<Workload | null> =>
  holdRow(tx, Workload, { name });

/** Asks for a workload. Idempotent: one of this name is left as it is. A host is chosen for it, then runs it. */
export async function startWorkload(
  tx: TenantTransaction,
  keys: KeyRing,
  wanted: NewWorkload,
): Promise<void> {
  if (await locked(tx, wanted.name)) return;
  const { kind, name, ownerId, attempt } = wanted;
  tx.em.create(Workload, {
    ...{ id: randomUUID(), tenantId: tx.tenantId, kind, name, ownerId, attempt },
    ...content(tx, keys, wanted),
    ...WAITING,
  });
  await flushWish(tx);
}

/** As `startWorkload`; one of this name begins anew with what is given here, on whatever host. */
export async function restartWorkload(
  tx: TenantTransaction,
  keys: KeyRing,
  wanted: NewWorkload,
): Promise<void> {
  const workload = await locked(tx, wanted.name);
  if (!workload) return startWorkload(tx, keys, wanted);
  Object.assign(workload, content(tx, keys, wanted));
  await beginAnew(tx, workload);
}

/**
 * Changes the number of instances of a service; one that was stopped, or failed, begins anew on whatever host.
 * Idempotent. @throws AppError not_found for an unknown name
 */
export async function scaleWorkload(
  tx: TenantTransaction,
  name: string,
  replicas: number,
  wake: WakeTarget,
): Promise<void> {
  const workload = await locked(tx, name);
  if (!workload) throw notFound('Workload');
  Object.assign(workload, wakes(wake));
  const isSame = workload.wish === 'run' && workload.replicas === replicas;
  workload.replicas = replicas;
  if (isDown(workload)) await beginAnew(tx, workload);
  else if (!isSame) await wish(tx, workload, { wish: 'run' });
}

/**
 * Asks for SIGTERM and, after `graceS`, SIGKILL. Idempotent; unknown names are no error.
 * @param wake who is signalled from now on; without it whoever was before
 */
export async function stopWorkload(
  tx: TenantTransaction,
  name: string,
  graceS: number,
  wake?: WakeTarget,
): Promise<void> {
  const workload = await locked(tx, name);
  if (workload && wake) Object.assign(workload, wakes(wake));
  if (workload?.wish !== 'run') return;
  const isPlaced = workload.host !== null;
  const revision = workload.revision + 1;
  // No host would apply it.
  const over = { appliedRevision: revision, status: 'stopped', reason: 'Stopped before it began.' } as const;
  await wish(tx, workload, { wish: 'stop', graceS, ...(isPlaced ? {} : over) });
}

/** Asks for its end and the removal of all that is kept of it. Idempotent. @param wake as of `stopWorkload` */
export async function removeWorkload(tx: TenantTransaction, name: string, wake?: WakeTarget): Promise<void> {
  const workload = await locked(tx, name);
  if (workload && wake) Object.assign(workload, wakes(wake));
  if (!workload || workload.wish === 'remove') return;
  if (workload.host === null) tx.em.remove(workload);
  else await wish(tx, workload, { wish: 'remove' });
}

/**
 * Its former host may be full, silent or in trouble by now, so one is chosen as for a new workload. What the former keeps of
 * it is removed by its agent, as whatever no row places there; if it is chosen again, it begins in an empty directory too.
 */
const beginAnew = (tx: TenantTransaction, workload: Workload): Promise<void> =>
  wish(tx, workload, {
    ...{ wish: 'run', host: null, endpoints: [], specRevision: workload.specRevision + 1 },
    ...WAITING,
  });

async function wish(tx: TenantTransaction, workload: Workload, change: Partial<Workload>): Promise<void> {
  Object.assign(workload, change, { revision: workload.revision + 1, updatedAt: new Date() });
  await flushWish(tx);
}

async function flushWish(tx: TenantTransaction): Promise<void> {
  await tx.em.flush();
  await notifyAtCommit(tx, WORKLOADS_CHANNEL);
}

const wakes = ({ workflowId, signal }: WakeTarget) => ({ workflowId, workflowSignal: signal });

const content = (tx: TenantTransaction, keys: KeyRing, wanted: NewWorkload) => ({
  spec: wanted.spec,
  sealedEnv: sealEnv(keys, tx.tenantId, wanted.name, wanted.env),
  memoryBytes: wanted.spec.limits.memoryBytes,
  replicas: wanted.replicas,
  ...wakes(wanted.wake),
});
