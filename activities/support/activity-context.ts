import { setInterval as every } from 'node:timers';
import { Context } from '@temporalio/activity';
import { effectOnce } from '../../models/outbox/activity-effect.js';
import type { EffectKey } from '../../models/outbox/activity-effect.sql.js';
import type { Transaction } from '../../models/orm/transaction.js';

/** A third of the usual heartbeat timeout of 10 s; the worker passes heartbeats on at most every 2 s. */
const BEAT_MS = 3000;

export interface Beat {
  /** Aborted when the workflow cancels the activity, when its timeout passed or when the worker stops. */
  readonly signal: AbortSignal;
  /** What an earlier attempt last reported, or null; resume from there. */
  readonly previous: unknown;
  /** Remembers how far the work has come (small JSON); sent with the next heartbeat. */
  progress(details: unknown): void;
}

/** For activities longer than 10 s: reports life while `work` runs, so that a dead worker is noticed and a cancel arrives. */
export async function withHeartbeat<T>(work: (beat: Beat) => Promise<T>, everyMs = BEAT_MS): Promise<T> {
  const context = Context.current();
  const previous: unknown = context.info.heartbeatDetails ?? null;
  let details = previous;
  const timer = every(() => context.heartbeat(details), everyMs);
  try {
    context.heartbeat(details);
    return await work({
      signal: context.cancellationSignal,
      previous,
      progress: (now) => {
        details = now;
      },
    });
  } finally {
    clearInterval(timer);
  }
}

/** The same for all attempts of the running activity; another run of the workflow (continue-as-new) has other keys. */
export function activityKey(): EffectKey {
  const { workflowExecution, activityId } = Context.current().info;
  if (!workflowExecution) throw new TypeError('this activity was not started by a workflow');
  return { workflowId: workflowExecution.workflowId, activityId: `${workflowExecution.runId}:${activityId}` };
}

/** Runs `work` in `tx` once for all attempts of the running activity. */
export const oncePerActivity = <T>(tx: Transaction, work: () => Promise<T>): Promise<T> =>
  effectOnce(tx, activityKey(), work);
