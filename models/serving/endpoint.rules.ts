import { conflict, fieldError, unprocessable } from '../../core/errors/app-error.js';
import { stateMachine } from '../../core/states/state-machine.js';
import type { WorkloadPhase } from '../../core/ports/workload-runner.js';
import type { EndpointRow, EndpointStatus } from './serving.types.js';

/** A DNS-1123 label of at most 50 characters, so that `ep-<name>-<id>` is one too. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;

/** @throws AppError unprocessable_entity */
export function assertEndpointName(name: string): void {
  if (!NAME.test(name))
    throw unprocessable([
      fieldError(
        ['body', 'name'],
        'must be a DNS-1123 label: 1 to 50 of a-z, 0-9 and -, beginning and ending with a letter or digit',
      ),
    ]);
}

/**
 * Why an endpoint cannot have these slots, or null for none: no tenant is wired to GPUs.
 * @param gpu slots of each instance
 */
export const gpuProblem = (gpu: number): string | null =>
  gpu > 0
    ? 'The tenant has no GPU wiring: create the endpoint with gpu 0, or ask a global administrator to wire a pool.'
    : null;

/** @throws AppError conflict for slots that it cannot have */
export function assertGpuWired(gpu: number): void {
  const problem = gpuProblem(gpu);
  if (problem !== null) throw conflict(problem, { gpu });
}

export const ENDPOINT_STATES = stateMachine<EndpointStatus>('An endpoint', {
  CREATING: ['CONNECTING', 'FAILED', 'STOPPED'],
  CONNECTING: ['RUNNING', 'FAILED', 'STOPPED'],
  RUNNING: ['DEGRADED', 'FAILED', 'STOPPED'],
  DEGRADED: ['RUNNING', 'FAILED', 'STOPPED'],
  FAILED: ['CONNECTING', 'STOPPED'],
  STOPPED: ['CONNECTING'],
});

/** Staying in a state is always allowed. */
export const mayMove = (from: EndpointStatus, to: EndpointStatus): boolean =>
  from === to || ENDPOINT_STATES.may(from, to);

/** Nothing runs and no workflow holds the endpoint: the next order begins a new attempt. */
export const isAtRest = (endpoint: Pick<EndpointRow, 'status' | 'wish'>): boolean =>
  (endpoint.status === 'STOPPED' && endpoint.wish === 'stop') ||
  (endpoint.status === 'FAILED' && endpoint.wish === 'none');

/** @throws AppError conflict */
export function assertNotLeaving(endpoint: Pick<EndpointRow, 'name' | 'wish'>): void {
  if (endpoint.wish === 'delete') throw conflict(`The endpoint ${endpoint.name} is being deleted.`);
}

/** @throws AppError conflict unless STOPPED or FAILED */
export function assertStartable(endpoint: Pick<EndpointRow, 'name' | 'status' | 'wish'>): void {
  assertNotLeaving(endpoint);
  if (endpoint.status !== 'STOPPED' && endpoint.status !== 'FAILED')
    throw conflict(`The endpoint is ${endpoint.status}; only a STOPPED or FAILED one can be started.`, {
      status: endpoint.status,
    });
}

/** @throws AppError conflict when STOPPED */
export function assertStoppable(endpoint: Pick<EndpointRow, 'name' | 'status' | 'wish'>): void {
  assertNotLeaving(endpoint);
  if (endpoint.status === 'STOPPED' && endpoint.wish === 'stop')
    throw conflict('The endpoint is STOPPED already.', { status: endpoint.status });
}

/** What one look at the workload of an endpoint that is to run has shown. */
export interface Observation {
  readonly phase: WorkloadPhase;
  readonly message: string;
  readonly ready: number;
  readonly replicas: number;
  /** It has been coming up for longer than it may. */
  readonly isOverdue: boolean;
}

export interface Verdict {
  readonly status: EndpointStatus;
  readonly message: string | null;
}

/** The state of an endpoint that is to run, from the state it had and one observation. Pure. */
export function statusAfter(before: EndpointStatus, seen: Observation): Verdict {
  if (seen.phase === 'failed') return { status: 'FAILED', message: seen.message };
  const isUp = before === 'RUNNING' || before === 'DEGRADED';
  if (isUp) {
    if (seen.ready >= seen.replicas) return { status: 'RUNNING', message: null };
    return {
      status: 'DEGRADED',
      message: `${seen.ready} of ${seen.replicas} instances answer. ${seen.message}`,
    };
  }
  if (seen.ready > 0)
    return {
      status: 'RUNNING',
      message:
        seen.ready < seen.replicas ? `${seen.ready} of ${seen.replicas} instances answer so far.` : null,
    };
  if (seen.isOverdue) return { status: 'FAILED', message: `It did not answer in time. ${seen.message}` };
  return { status: 'CONNECTING', message: seen.message };
}
