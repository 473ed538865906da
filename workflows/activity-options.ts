import { ActivityCancellationType, type ActivityOptions } from '@temporalio/common';
import { DATA_QUEUE } from '../core/events/task-queues.js';

/**
 * Rows, starts, mails: seconds. Failures of the platform's own parts are tried for an hour of a running platform, refusals
 * not at all. Tries are counted, not time: a platform that is stopped for a night goes on where it was.
 */
export const SHORT_ACTIVITY: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
    maximumAttempts: 125,
  },
};

/**
 * The last word of a workflow, without which its row would stay active for ever: tried until it is written, however long
 * the platform or its database is away.
 */
export const CLOSING_ACTIVITY: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * For every activity that uses `withHeartbeat`. A canceled workflow waits until such an activity has let go, so that
 * nothing is written any more while the workflow cleans up or after it ended; a worker that died is waited for as long as
 * its heartbeat may be late. Named, since the library's default is another than its documentation says.
 */
const LETS_GO_FIRST = {
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/** Anything longer than 10 s: uses `withHeartbeat`, so a dead worker is noticed in 10 s and a cancel arrives within them. */
export const LONG_ACTIVITY: ActivityOptions = {
  ...LETS_GO_FIRST,
  startToCloseTimeout: '24 hours',
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
    maximumAttempts: 100,
  },
};

/** A long activity that moves many bytes: a few at a time on each worker. */
export const DATA_ACTIVITY: ActivityOptions = { ...LONG_ACTIVITY, taskQueue: DATA_QUEUE };

/** A look at something that is held up for as long as it is wanted: the platform's own failures are waited out. */
export const LOOKING_ACTIVITY: ActivityOptions = {
  ...LETS_GO_FIRST,
  startToCloseTimeout: '3 minutes',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};
