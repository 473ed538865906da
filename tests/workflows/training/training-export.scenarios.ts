import type { ExportActivities } from '../../../activities/training/export/export.activities.js';
import { conflict, unprocessable } from '../../../core/errors/app-error.js';
import {
  EXPORT_SIGNAL,
  EXPORT_WORKFLOW,
  type ExportEnd,
  type ExportRef,
} from '../../../models/training/export/export-work.types.js';
import { cancelAtTimer, cancelDuring, lateToLetGo, type Scenario, untilTimer } from '../support/scenario.js';

const ref: ExportRef = {
  tenantId: '00000000-0000-4000-8000-000000000001',
  exportId: '00000000-0000-4000-8000-000000000003',
  attempt: 1,
};
const nothing = async () => undefined;
const made: ExportEnd = { status: 'SUCCEEDED', message: 'Wrote onnx.' };
const canceled: ExportEnd = { status: 'CANCELED', message: 'Canceled on request.' };

/** Activities that do nothing; `expected` is the only end the workflow may write, and its job must be down first. */
function fakes(expected: ExportEnd | null, over: Partial<ExportActivities>): ExportActivities {
  let isHalted = false;
  return {
    beginExport: async () => true,
    startExportJob: nothing,
    lookAtExport: async () => ({ succeeded: true, message: 'Finished.' }),
    haltExport: async () => {
      isHalted = true;
      return true;
    },
    collectExport: async () => made,
    removeExportJob: nothing,
    endExport: async (_ref, end) => {
      if (expected === null || end.status !== expected.status || end.message !== expected.message)
        throw unprocessable([], `ended as ${JSON.stringify(end)}`);
      if (end.status !== 'SUCCEEDED' && !isHalted) throw unprocessable([], 'the job was not stopped first');
    },
    ...over,
  };
}

const scenario = (
  name: Scenario['name'],
  expected: ExportEnd | null,
  over: () => Partial<ExportActivities> = () => ({}),
  meanwhile?: Scenario['meanwhile'],
): Scenario => ({
  type: EXPORT_WORKFLOW,
  name,
  args: [ref],
  activities: () => fakes(expected, over()),
  ...(meanwhile ? { meanwhile } : {}),
  ends: { result: null },
});

/** The job ends only after a first look: the signal of its host wakes the workflow, long before its own timer. */
function untilWoken(): Partial<ExportActivities> {
  let looks = 0;
  return {
    lookAtExport: async () => {
      looks += 1;
      return looks === 1 ? null : { succeeded: true, message: 'Finished.' };
    },
  };
}

const wakeAtTimer: Scenario['meanwhile'] = async (handle) => {
  await untilTimer(handle);
  await handle.signal(EXPORT_SIGNAL);
};

/** Starting takes a while to let go after it was canceled; nothing may be written before it has. */
function lateStart(): Partial<ExportActivities> {
  const late = lateToLetGo();
  return {
    startExportJob: () => late.work(),
    endExport: async (_ref, end) => {
      await late.close();
      if (end.status !== 'CANCELED') throw unprocessable([], `ended as ${end.status}`);
    },
  };
}

export const EXPORT_SCENARIOS: readonly Scenario[] = [
  scenario('success', made),
  scenario('success-nothing-to-do', null, () => ({ beginExport: async () => false })),
  scenario('success-woken', made, untilWoken, wakeAtTimer),
  scenario('failure-job', { status: 'FAILED', message: 'Exit code 3: The model cannot be used.' }, () => ({
    lookAtExport: async () => ({ succeeded: false, message: 'Exit code 3: The model cannot be used.' }),
  })),
  scenario('failure-formats', { status: 'FAILED', message: 'No format could be written.' }, () => ({
    collectExport: async () => ({ status: 'FAILED', message: 'No format could be written.' }),
  })),
  scenario('failure-start', { status: 'FAILED', message: 'The run of this experiment was deleted.' }, () => ({
    startExportJob: async () => Promise.reject(conflict('The run of this experiment was deleted.')),
  })),
  scenario('cancel-while-starting', canceled, lateStart, cancelDuring('startExportJob')),
  scenario('cancel-while-writing', canceled, () => ({ lookAtExport: async () => null }), cancelAtTimer),
];
