import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import { withHeartbeat } from '../../../activities/support/activity-context.js';
import { type AppError, unprocessable } from '../../../core/errors/app-error.js';
import type { Lab } from './lab.js';

/** One life of a workflow with activities that answer as asked. Run as a test, and recorded as a history for replay. */
export interface Scenario {
  /** Workflow type as workflows/index.ts exports it. */
  readonly type: string;
  /** File name of the history, such as `success`, `failure-task`, `cancel-while-copying`. */
  readonly name: `success${string}` | `failure${string}` | `cancel${string}`;
  readonly args: readonly unknown[];
  /** Fresh fakes for each run. Names as the real activities have. */
  readonly activities: () => object;
  /** What comes from outside while it runs, such as a cancel or a signal. */
  readonly meanwhile?: (handle: WorkflowHandle) => Promise<void>;
  readonly ends: Ending;
}

/** `wentOn`: its first run ended by going on as a new one. */
export type Ending =
  | { readonly result: unknown; readonly wentOn?: true }
  | { readonly failureType: string }
  | 'cancelled';

/** Runs a scenario to its end and answers how it ended, with the handle for the history of its first run. */
export async function play(
  lab: Lab,
  scenario: Scenario,
  suffix: string,
): Promise<{ ending: Ending; handle: WorkflowHandle }> {
  const stop = await lab.work(scenario.activities());
  try {
    const handle = await lab.start(
      scenario.type,
      `${scenario.type}:test:${scenario.name}:${suffix}`,
      scenario.args,
    );
    const [ending] = await Promise.all([endingOf(handle), scenario.meanwhile?.(handle)]);
    const first = lab.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId);
    const wentOn = (await first.describe()).status.name === 'CONTINUED_AS_NEW';
    return { ending: wentOn && typeof ending === 'object' ? { ...ending, wentOn } : ending, handle: first };
  } finally {
    await stop();
  }
}

async function endingOf(handle: WorkflowHandle): Promise<Ending> {
  try {
    return { result: (await handle.result()) ?? null };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    if (error.cause instanceof CancelledFailure) return 'cancelled';
    return { failureType: failureType(error.cause) };
  }
}

/** The code that the innermost failure of ours carries. */
function failureType(error: unknown): string {
  let [current, found] = [error, 'unknown'];
  while (current instanceof Error) {
    if (current instanceof ApplicationFailure && current.type) found = current.type;
    current = current.cause;
  }
  return found;
}

/** Cancels once an activity of this type has begun. @param after so many others of the workflow */
export const cancelDuring =
  (activityType: string, after = 0) =>
  async (handle: WorkflowHandle): Promise<void> => {
    for (let left = 400 + 8 * after; left > 0; left -= 1) {
      const { raw } = await handle.describe();
      const found = raw.pendingActivities?.find(
        (activity) => activity.activityType?.name === activityType && activity.lastStartedTime,
      );
      if (found && Number(found.activityId) > after) return void (await handle.cancel());
      await sleep(25);
    }
    throw new Error(`${activityType} never began`);
  };

/** Cancels once the workflow waits by a timer, which an activity that answers at once would not show. */
export async function cancelAtTimer(handle: WorkflowHandle): Promise<void> {
  await untilTimer(handle);
  await handle.cancel();
}

/** Waits until the workflow waits by a timer. */
export async function untilTimer(handle: WorkflowHandle): Promise<void> {
  for (let left = 400; left > 0; left -= 1) {
    const { events } = await handle.fetchHistory();
    if (events?.some((event) => event.timerStartedEventAttributes)) return;
    await sleep(25);
  }
  throw new Error('no timer was started');
}

/** Fails unless the last run began with the scenario's input and with this from the run before it. */
export const handsOver =
  (expected: unknown) =>
  async (handle: WorkflowHandle): Promise<void> => {
    await handle.result();
    const { events } = await handle.fetchHistory();
    const [, second] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const handed = second && defaultPayloadConverter.fromPayload(second);
    if (!isDeepStrictEqual(handed, expected)) throw new Error(`handed over: ${JSON.stringify(handed)}`);
  };

/** How long an activity takes to let go after a cancel. */
const LETTING_GO_MS = 300;

/**
 * An activity that works until it is canceled, and then for a moment more.
 * @param failure what it ends with; usually it says that it was canceled
 */
export function lateToLetGo(failure?: AppError) {
  let isAtWork = false;
  return {
    work: (): Promise<never> =>
      withHeartbeat(async ({ signal }) => {
        isAtWork = true;
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        await sleep(LETTING_GO_MS);
        isAtWork = false;
        throw failure ?? signal.reason;
      }, 100),
    /** The last word of the workflow, which must come after the work. */
    close: async (): Promise<void> => {
      if (isAtWork) throw unprocessable([], 'The workflow ended while its activity was at work.');
    },
  };
}

/** Ends well although it was canceled. */
export const untilCanceled = <T>(result: T): Promise<T> =>
  withHeartbeat(async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    return result;
  }, 100);
