import { AppError, unavailable } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { WorkloadRunner } from '../../core/ports/workload-runner.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { readHostedSpec } from '../../models/workloads/hosted.platform.js';
import { findRoomToGrow } from '../../models/workloads/placement.platform.js';
import type { HostedWorkload } from '../../models/workloads/hosted.types.js';
import { originProblem } from '../../models/workloads/program-origin.rules.js';
import { hostedSpec, SPEC_LABEL } from './hosted-spec.js';

export interface WorkloadChangeDeps {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly keys: KeyRing;
  readonly runner: WorkloadRunner;
  readonly hostId: string;
}

/** `done`: the requested state is under way or true. `gone`: nothing is left of it. `refused`: it can never be run. */
export type AppliedChange =
  | { readonly kind: 'done' | 'gone' }
  | { readonly kind: 'refused'; readonly reason: string };

const DONE: AppliedChange = { kind: 'done' };

/** Brings a workload on this host to its requested state. Idempotent. @throws passing failures: the caller retries */
export async function applyWorkloadChange(
  deps: WorkloadChangeDeps,
  workload: HostedWorkload,
): Promise<AppliedChange> {
  const { runner } = deps;
  const { name, wish, graceS } = workload;
  if (wish === 'remove') {
    await runner.remove(name);
    return { kind: 'gone' };
  }
  if (wish === 'stop') {
    await runner.stop(name, graceS);
    return DONE;
  }
  return run(deps, workload);
}

async function run(deps: WorkloadChangeDeps, workload: HostedWorkload): Promise<AppliedChange> {
  const { runner } = deps;
  const { name, kind, replicas, specRevision } = workload;
  const before = await runner.status(name);
  const isOlder = before !== null && Number(before.labels[SPEC_LABEL] ?? specRevision) < specRevision;
  if (isOlder) await runner.remove(name);
  if (before === null || isOlder) return begin(deps, workload);
  if (kind === 'serving' && (await hasRoom(deps, workload, replicas - before.replicas)))
    await runner.scale(name, replicas);
  return DONE;
}

/** @returns false when the workload is another host's by now @throws AppError service_unavailable when no host has room */
async function hasRoom(
  { database, hostId }: WorkloadChangeDeps,
  workload: HostedWorkload,
  more: number,
): Promise<boolean> {
  const room = more > 0 ? await findRoomToGrow(database, hostId, workload, more) : 'here';
  if (room === 'nowhere')
    throw unavailable('its host has no room for more instances, and no other host has it for all of them.');
  return room === 'here';
}

async function begin(deps: WorkloadChangeDeps, workload: HostedWorkload): Promise<AppliedChange> {
  const stored = await readHostedSpec(deps.database, workload.id);
  // Removed meanwhile.
  if (stored === null) return DONE;
  // Asked here too: this host may keep tenants apart less than it did when it was chosen.
  const refusal = originProblem(stored.spec.origin ?? 'platform', deps.runner.isolation);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  try {
    await deps.runner.start(await hostedSpec(deps, workload, stored));
    return DONE;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'bad_request' || error.code === 'unprocessable_entity'))
      return { kind: 'refused', reason: error.message };
    throw error;
  }
}
