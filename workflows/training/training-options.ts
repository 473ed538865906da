import type { ActivityOptions } from '@temporalio/common';
import { LONG_ACTIVITY } from '../activity-options.js';

/**
 * The platform may be down for days while an attempt waits: failures of its parts are counted, time is not. A hundred
 * tries with 30 s between them are most of an hour of a running platform.
 */
export const PATIENT = {
  startToCloseTimeout: '1 minute',
  retry: {
    initialInterval: '500 milliseconds',
    backoffCoefficient: 2,
    maximumInterval: '30 seconds',
    maximumAttempts: 100,
  },
} satisfies ActivityOptions;

/** Nobody should wait for the log of an attempt that failed; it stays readable as rows. */
export const BRIEF = {
  ...LONG_ACTIVITY,
  retry: { ...LONG_ACTIVITY.retry, maximumAttempts: 3 },
} satisfies ActivityOptions;

/** Every change of a job, and the end of an image's build, is reported by a signal; one that was lost is made up for by then. */
export const LOOK_AGAIN = '15 minutes';

const SOON_HALTS = 30;

/** A host that is alive ends a job within seconds; one that is silent is taken for lost by a setting, after days even. */
export const haltAgain = (halts: number): '30 seconds' | '1 hour' =>
  halts < SOON_HALTS ? '30 seconds' : '1 hour';

/** A look at a job that runs, or its end: whoever gave up would leave a process behind that nobody follows. */
export const FOLLOWING_JOB = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} satisfies ActivityOptions;
