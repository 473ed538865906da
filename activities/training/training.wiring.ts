import { exportWorkflowId } from '../../models/training/export/export-work.types.js';
import { jobSettings } from '../../models/training/jobs/job-spec.js';
import { trainingWorkflowId } from '../../models/training/training-work.types.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createExportActivities } from './export/export.activities.js';
import { createTrainingActivities } from './create-training-activities.js';
import { trainingLogs } from './training-log.js';
import { createTrainingMaintenance } from './training-housekeeping.js';

export function wireTraining(deps: WorkerDeps): DomainWork {
  const job = jobSettings(deps.settings);
  const training = createTrainingActivities({ ...deps, job });
  const exports = createExportActivities({ ...deps, job });
  return {
    activities: { ...training, ...exports },
    stalled: [
      {
        kind: 'training',
        workflowId: ({ tenantId, id, attempt }) =>
          trainingWorkflowId({ tenantId, experimentId: id, attempt }),
        fail: ({ tenantId, id, attempt }, message) =>
          training.endAttempt({ tenantId, experimentId: id, attempt }, { status: 'LOST', message }),
      },
      {
        kind: 'training-export',
        workflowId: ({ tenantId, id, attempt }) => exportWorkflowId({ tenantId, exportId: id, attempt }),
        fail: ({ tenantId, id, attempt }, message) =>
          exports.endExport({ tenantId, exportId: id, attempt }, { status: 'FAILED', message }),
      },
    ],
    maintenance: createTrainingMaintenance(deps),
    workloadLogs: trainingLogs(deps),
  };
}
