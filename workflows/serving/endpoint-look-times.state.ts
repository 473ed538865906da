import type { ServingState } from '../../models/serving/serving-work.types.js';
import type { EndpointStatus } from '../../models/serving/serving.types.js';

const COMING_UP: ReadonlySet<EndpointStatus> = new Set(['CREATING', 'CONNECTING']);
const STEADY_MS = 15_000;
const DEGRADED_MS = 2_000;
const FIRST_MS = 250;
const SLOWEST_COMING_UP_MS = 3_000;

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

/** How long to wait for a signal before looking again. Quick while something is to happen, slow while all is well. */
export function nextLookMs(state: ServingState): number {
  if (state.status === 'RUNNING') return STEADY_MS;
  if (state.status === 'DEGRADED') return DEGRADED_MS;
  return Math.min(SLOWEST_COMING_UP_MS, Math.round(FIRST_MS * 1.5 ** Math.min(state.looks, 20)));
}
