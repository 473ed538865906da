import type { Duration } from '@temporalio/common';
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
import { FOLLOWING_JOB, haltAgain, LOOK_AGAIN, PATIENT } from './training-options.js';

const lasting = proxyActivities<ExportActivities>(FOLLOWING_JOB);
const row = proxyActivities<ExportActivities>(PATIENT);
const long = proxyActivities<ExportActivities>({ ...LONG_ACTIVITY, startToCloseTimeout: '2 hours' });
const { endExport } = proxyActivities<ExportActivities>(CLOSING_ACTIVITY);

/** One export of a trained model, from QUEUED to its end. The export's row shows where it is. */
export async function trainingExport(ref: ExportRef): Promise<void> {
  let hasChanged = false;
  setHandler(defineSignal(EXPORT_SIGNAL), () => {
    hasChanged = true;
  });
  const changed = async (within: Duration): Promise<void> => {
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
      await changed(haltAgain(halts));
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
