import type { ServingState } from '../../models/serving/serving-work.types.js';
import type { EndpointStatus } from '../../models/serving/serving.types.js';

const COMING_UP: ReadonlySet<EndpointStatus> = new Set(['CREATING', 'CONNECTING']);
const STEADY_MS = 3_600_000;
const DEGRADED_MS = 2_000;
const SLOWEST_DEGRADED_MS = 60_000;
/** As release 0.1 looked, whose workers did not all watch. */
const UNWATCHED_STEADY_MS = 15_000;
const FIRST_MS = 250;
const SLOWEST_COMING_UP_MS = 3_000;
const WAITING_MS = 3_000;

export const initialState = (nowMs: number): ServingState => ({
  status: 'CREATING',
  comingUpSinceMs: nowMs,
  looks: 0,
});

/** What a look has shown becomes the state. */
export function advance(state: ServingState, status: EndpointStatus, nowMs: number): ServingState {
  const comingUpSinceMs = COMING_UP.has(status) ? (state.comingUpSinceMs ?? nowMs) : null;
  return { status, comingUpSinceMs, looks: status === state.status ? state.looks + 1 : 0 };
}

export const isOverdue = (state: ServingState, nowMs: number, connectTimeoutS: number): boolean =>
  state.comingUpSinceMs !== null && nowMs - state.comingUpSinceMs >= connectTimeoutS * 1000;

/** The endpoint needs nobody any more: the workflow ends, the next order begins another. */
export const isDone = (state: ServingState): boolean =>
  state.status === 'STOPPED' || state.status === 'FAILED';

/**
 * How long to wait for a signal before looking again. Quick while something is to happen, slow while all is well.
 * @param isWatched somebody asks all endpoints that are up, and signals what has changed
 */
export function nextLookMs(state: ServingState, isWatched: boolean): number {
  if (state.status === 'RUNNING') return isWatched ? STEADY_MS : UNWATCHED_STEADY_MS;
  if (state.status === 'DEGRADED')
    return isWatched ? slower(DEGRADED_MS, SLOWEST_DEGRADED_MS, state.looks) : DEGRADED_MS;
  return slower(FIRST_MS, SLOWEST_COMING_UP_MS, state.looks);
}

/**
 * How long to wait for the signal of a host that is to bring an endpoint down, before looking whether it has. One that is alive
 * does so within seconds; one that is silent is taken for lost by a setting, after days even.
 * @param waits how many looks have found it so before, one after the other
 */
export const nextWaitMs = (waits: number, isWatched: boolean): number =>
  isWatched ? slower(WAITING_MS, STEADY_MS, waits) : WAITING_MS;

const slower = (firstMs: number, mostMs: number, looks: number): number =>
  Math.min(mostMs, Math.round(firstMs * 1.5 ** Math.min(looks, 20)));
