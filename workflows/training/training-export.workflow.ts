import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
} from '@temporalio/workflow';
import type { ExportActivities } from '../../activities/training/export/export.activities.js';
import {
  EXPORT_SIGNAL,
  type ExportEnd,
  type ExportRef,
} from '../../models/training/export/export-work.types.js';
import { CLOSING_ACTIVITY, LONG_ACTIVITY } from '../activity-options.js';
import { isCanceled } from '../failure-reason.js';
import { ReportedChanges } from './reported-changes.js';
import { FOLLOWING_JOB, haltAgain, PATIENT } from './training-options.js';

const lasting = proxyActivities<ExportActivities>(FOLLOWING_JOB);
const row = proxyActivities<ExportActivities>(PATIENT);
const long = proxyActivities<ExportActivities>({ ...LONG_ACTIVITY, startToCloseTimeout: '2 hours' });
const { endExport } = proxyActivities<ExportActivities>(CLOSING_ACTIVITY);

/** One export of a trained model, from QUEUED to its end. The export's row shows where it is. */
export async function trainingExport(ref: ExportRef): Promise<void> {
  const job = new ReportedChanges(EXPORT_SIGNAL);
  let end: ExportEnd;
  try {
    if (!(await row.beginExport(ref))) return;
    await long.startExportJob(ref);
    const outcome = await job.until(() => lasting.lookAtExport(ref));
    end = outcome.succeeded ? await long.collectExport(ref) : { status: 'FAILED', message: outcome.message };
  } catch (error) {
    end = isCanceled(error)
      ? { status: 'CANCELED', message: 'Canceled on request.' }
      : { status: 'FAILED', message: explain(error) };
  }
  const last = end;
  await CancellationScope.nonCancellable(async () => {
    // Nothing of the export goes on after its end is written: first the process stops, then the row says so.
    if (last.status !== 'SUCCEEDED')
      await job.until(() => lasting.haltExport(ref).catch(() => true), haltAgain);
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
