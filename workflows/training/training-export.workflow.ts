import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import type { ExportActivities } from '../../activities/training/export/export.activities.js';
import {
  EXPORT_SIGNAL,
  type ExportEnd,
  type ExportRef,
} from '../../models/training/export/export-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { isCanceled } from '../failure-reason.js';
import { FOLLOWING_JOB, PATIENT } from './training-options.js';

const lasting = proxyActivities<ExportActivities>(FOLLOWING_JOB);
const row = proxyActivities<ExportActivities>(PATIENT);
const long = proxyActivities<ExportActivities>({ ...LONG_ACTIVITY, startToCloseTimeout: '2 hours' });
const { endExport } = proxyActivities<ExportActivities>(CLOSING_ACTIVITY);

/** A host reports every change of a job by a signal; one that was lost is made up for by then. */
const LOOK_AGAIN = '15 minutes';
/** A host that is alive ends a job within seconds; one that is silent is taken for lost by a setting, after days even. */
const HALT_AGAIN = '30 seconds';
const SOON_HALTS = 30;
const HALT_LATE_AGAIN = '1 hour';

/** One export of a trained model, from QUEUED to its end. The export's row shows where it is. */
export async function trainingExport(ref: ExportRef): Promise<void> {
  let hasChanged = false;
  setHandler(defineSignal(EXPORT_SIGNAL), () => {
    hasChanged = true;
  });
  const changed = async (
    within: typeof LOOK_AGAIN | typeof HALT_AGAIN | typeof HALT_LATE_AGAIN,
  ): Promise<void> => {
    await condition(() => hasChanged, within);
  };
  const untilEnded = async (): Promise<ExportEnd> => {
    for (;;) {
      hasChanged = false;
      const outcome = await lasting.lookAtExport(ref);
      if (outcome?.succeeded) return long.collectExport(ref);
      if (outcome) return { status: 'FAILED', message: outcome.message };
      await changed(LOOK_AGAIN);
    }
  };
  let end: ExportEnd;
  try {
    if (!(await row.beginExport(ref))) return;
    await long.startExportJob(ref);
    end = await untilEnded();
  } catch (error) {
    end = isCanceled(error)
      ? { status: 'CANCELED', message: 'Canceled on request.' }
      : { status: 'FAILED', message: explain(error) };
  }
  const last = end;
  await CancellationScope.nonCancellable(async () => {
    // Nothing of the export goes on after its end is written: first the process stops, then the row says so.
    for (let halts = 1; last.status !== 'SUCCEEDED'; halts += 1) {
      hasChanged = false;
      if (await lasting.haltExport(ref).catch(() => true)) break;
      await changed(halts < SOON_HALTS ? HALT_AGAIN : HALT_LATE_AGAIN);
    }
    await endExport(ref, last);
    // What cannot be removed now is removed by the hourly housekeeping.
    await row.removeExportJob(ref).catch(() => undefined);
  });
}

/** Why it failed, in the words of the error that was thrown. */
function explain(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.message;
  return 'It was given up after repeated failures; try again.';
}
