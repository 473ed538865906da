import { MAX_EVENT_BYTES, type StreamEvent } from '../../core/events/stream-event.js';
import type { MetricPoint } from '../tracker/run.types.js';
import { isTerminal } from './experiment-state.rules.js';
import type { ExperimentStatus, StepKey, StepStatus } from './experiment.types.js';

interface Place {
  readonly tenantId: string;
  readonly experimentId: string;
}

const event = (place: Place, name: string, data: Readonly<Record<string, unknown>>): StreamEvent => ({
  stream: 'experiment-logs',
  tenantId: place.tenantId,
  id: place.experimentId,
  event: name,
  data,
});

export const stateEvent = (place: Place, status: ExperimentStatus, message: string): StreamEvent =>
  event(place, 'experiment', { status, message });

/** True for the event of the state in which an experiment ends. */
export function isEnd({ event: name, data }: StreamEvent): boolean {
  return name === 'experiment' && isTerminal(data.status as ExperimentStatus);
}

export const stepEvent = (place: Place, step: StepKey, status: StepStatus, message: string): StreamEvent =>
  event(place, 'step', { step, status, message });

/** @param progress of the whole experiment, from 0 to 1 */
export const progressEvent = (place: Place, progress: number): StreamEvent =>
  event(place, 'progress', { progress });

/** Bytes of the log that were added; whoever delivers it puts the lines in. */
export const logEvent = (place: Place, from: number, to: number): StreamEvent =>
  event(place, 'log', { from, to });

/** New metric values, as many events as their size asks for. JSON has no NaN: such values become null. */
export function metricEvents(place: Place, points: readonly MetricPoint[]): StreamEvent[] {
  const room = MAX_EVENT_BYTES - 300;
  const groups: Array<Array<{ key: string; step: number; value: number }>> = [];
  let [open, size]: [Array<{ key: string; step: number; value: number }>, number] = [[], 0];
  for (const { key, step, value } of points) {
    const bytes = Buffer.byteLength(key) + 64;
    if (size + bytes > room && open.length > 0) {
      groups.push(open);
      [open, size] = [[], 0];
    }
    open.push({ key, step, value });
    size += bytes;
  }
  if (open.length > 0) groups.push(open);
  return groups.map((group) => event(place, 'metrics', { points: group }));
}
