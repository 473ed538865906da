import type { Look, PlacedEndpointSteps } from '../../../activities/serving/serving.activities.js';
import { unprocessable } from '../../../core/errors/app-error.js';
import {
  LOOK_SIGNAL,
  SERVING_WORKFLOW,
  type ServingInput,
} from '../../../models/serving/serving-work.types.js';
import type { EndpointStatus } from '../../../models/serving/serving.types.js';
import { cancelDuring, lateToLetGo, type Scenario } from '../support/scenario.js';

const input: ServingInput = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  endpointId: '00000000-0000-4000-8000-000000000002',
  attempt: 1,
  connectTimeoutS: 600,
  carried: null,
};

const status = (value: EndpointStatus) => async (): Promise<Look> => ({ kind: 'status', status: value });
const gone = async (): Promise<Look> => ({ kind: 'gone' });
const waiting = async (): Promise<Look> => ({ kind: 'waiting' });
const changed = async (): Promise<Look> => ({ kind: 'changed' });
const refused = (): Promise<Look> => Promise.reject(unprocessable([], 'The image holds no model layer.'));

/** One look after the other answers as asked; freeing is allowed only where it belongs. */
const of =
  (looks: ReadonlyArray<() => Promise<Look>>, frees: 'giveUp' | null = null) =>
  (): PlacedEndpointSteps => {
    const left = [...looks];
    const only = (what: string) => async () => {
      if (what !== frees) throw new Error(`${what} must not be called`);
    };
    return {
      lookAtPlacedEndpoint: () => (left.shift() as () => Promise<Look>)(),
      giveUpPlacedEndpoint: only('giveUp'),
      releasePlacedEndpoint: only('release'),
    };
  };

const canceled = (): PlacedEndpointSteps => {
  const { work, close } = lateToLetGo();
  return { ...of([status('CONNECTING'), work])(), releasePlacedEndpoint: close };
};

const scenario = (
  name: Scenario['name'],
  activities: Scenario['activities'],
  rest: Partial<Scenario> = {},
): Scenario => ({
  type: SERVING_WORKFLOW,
  name,
  args: [input],
  activities,
  ends: { result: null },
  ...rest,
});

export const SERVING_SCENARIOS: readonly Scenario[] = [
  scenario(
    'success',
    of([status('CONNECTING'), status('CONNECTING'), changed, status('RUNNING'), status('STOPPED')]),
    {
      // Far sooner than the timer of a healthy endpoint.
      meanwhile: async (handle) => {
        for (let sent = 0; sent < 4; sent += 1) {
          await new Promise((done) => setTimeout(done, 500));
          await handle.signal(LOOK_SIGNAL).catch(() => undefined);
        }
      },
    },
  ),
  scenario('success-deleted', of([status('CONNECTING'), gone])),
  // Its host takes it away after the row says STOPPED, which is no end then.
  scenario('success-deleted-from-stopped', of([waiting, waiting, gone])),
  scenario('failure', of([status('CONNECTING'), refused], 'giveUp')),
  scenario('failure-not-up-in-time', of([status('CONNECTING'), status('FAILED')])),
  scenario('cancel', canceled, { meanwhile: cancelDuring('lookAtPlacedEndpoint'), ends: 'cancelled' }),
];
