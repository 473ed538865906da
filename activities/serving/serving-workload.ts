import type { TenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { holdAsRead } from '../../models/serving/endpoint.commands.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';
import {
  removeWorkload,
  restartWorkload,
  scaleWorkload,
  startWorkload,
  stopWorkload,
} from '../../models/workloads/workload.commands.js';
import { findWorkload } from '../../models/workloads/workload.queries.js';
import type { WorkloadState } from '../../models/workloads/workload.types.js';
import { servingSpec, wakesOf } from './serving-spec.js';

export interface ServingWorkloadDeps {
  readonly database: Database;
  readonly keys: KeyRing;
}

/** People ordered something else after the endpoint was read: what was decided by it is no longer wanted. */
export class OrderedAnew extends Error {
  override readonly name = 'OrderedAnew';
}

/** Changes a workload for an order that still stands. A late step, of a worker that stood still, changes nothing. @throws OrderedAnew */
const asOrdered = <T>(
  { database }: Pick<ServingWorkloadDeps, 'database'>,
  tenantId: TenantId,
  endpoint: EndpointRow,
  change: (tx: TenantTransaction) => Promise<T>,
): Promise<T> =>
  database.inTenant(tenantId, async (tx) => {
    if (!(await holdAsRead(tx, endpoint))) throw new OrderedAnew('The endpoint was ordered anew.');
    return change(tx);
  });

/** Between SIGTERM and SIGKILL. */
const GRACE_S = 10;
/** Limit of one wait for the workload; the activity's own limit ends it before. */
const ROUND_MS = 3_600_000;

/** The workload as it is after it was asked to run with the wanted number of instances; a failed one is left to be judged. */
export async function ensureWorkload(
  deps: ServingWorkloadDeps,
  tenantId: TenantId,
  endpoint: EndpointRow,
  isUp: boolean,
): Promise<WorkloadState | null> {
  const { database, keys } = deps;
  const { workloadId, replicas, status } = endpoint;
  const before = await database.inTenant(tenantId, (tx) => findWorkload(tx, workloadId));
  // What failed may have failed for its inputs: they are fetched anew.
  const isNew = before === null || status === 'FAILED';
  const wanted = isNew ? await servingSpec(deps, tenantId, endpoint) : null;
  return asOrdered(deps, tenantId, endpoint, async (tx) => {
    if (wanted) await (before === null ? startWorkload : restartWorkload)(tx, keys, wanted);
    else if (!isUp || before?.phase !== 'failed')
      await scaleWorkload(tx, workloadId, replicas, wakesOf(tenantId, endpoint));
    return findWorkload(tx, workloadId);
  });
}

/** @throws OrderedAnew */
type Step = (
  deps: Pick<ServingWorkloadDeps, 'database'>,
  tenantId: TenantId,
  endpoint: EndpointRow,
) => Promise<boolean>;

/** Asks for its end. @returns whether nothing of it runs any more */
export const bringDown: Step = (deps, tenantId, endpoint) =>
  asOrdered(deps, tenantId, endpoint, async (tx) => {
    const { workloadId } = endpoint;
    await stopWorkload(tx, workloadId, GRACE_S, wakesOf(tenantId, endpoint));
    const state = await findWorkload(tx, workloadId);
    return state === null || state.isDown;
  });

/** Asks for the removal of all that is kept of it. @returns whether it is gone */
export const takeAway: Step = (deps, tenantId, endpoint) =>
  asOrdered(deps, tenantId, endpoint, async (tx) => {
    const { workloadId } = endpoint;
    await removeWorkload(tx, workloadId, wakesOf(tenantId, endpoint));
    await tx.em.flush();
    return (await findWorkload(tx, workloadId)) === null;
  });

const until =
  (step: Step) =>
  async (
    deps: Pick<ServingWorkloadDeps, 'database'> & { readonly states: StateWaits },
    tenantId: TenantId,
    endpoint: EndpointRow,
    signal: AbortSignal,
  ): Promise<void> => {
    const take = () => step(deps, tenantId, endpoint);
    const options = { signal, withinMs: ROUND_MS };
    while (!(await deps.states.until(endpoint.id, take, Boolean, options))) signal.throwIfAborted();
  };

/** As `bringDown`, and waits until it is so. */
export const untilDown = until(bringDown);

/** As `takeAway`, and waits until it is so. */
export const untilTakenAway = until(takeAway);
