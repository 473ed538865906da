import { jobSettings } from '../../models/training/jobs/job-spec.js';
import { trainingWorkflowId } from '../../models/training/training-work.types.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createTrainingActivities } from './create-training-activities.js';
import { trainingLogs } from './log-tail.js';
import { createTrainingMaintenance } from './training-housekeeping.js';

export function wireTraining(deps: WorkerDeps): DomainWork {
  const training = createTrainingActivities({ ...deps, job: jobSettings(deps.settings) });
  return {
    activities: training,
    stalled: [
      {
        kind: 'training',
        workflowId: ({ tenantId, id, attempt }) =>
          trainingWorkflowId({ tenantId, experimentId: id, attempt }),
        fail: ({ tenantId, id, attempt }, message) =>
          training.endAttempt({ tenantId, experimentId: id, attempt }, { status: 'FAILED', message }),
      },
    ],
    maintenance: createTrainingMaintenance(deps),
    workloadLogs: trainingLogs(deps),
  };
}
