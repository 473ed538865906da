import { syncWorkflowId } from '../../models/sources/sync/dataset-sync-work.types.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createDatasetSyncActivities } from './dataset-sync.activities.js';
import { createSyncSchedule } from './sync-schedule.js';

export function wireSources(deps: WorkerDeps): DomainWork {
  const { settings } = deps;
  const syncs = createDatasetSyncActivities({
    ...deps,
    keys: settings.SERVICE_SECRET_KEYS,
    parallel: settings.SERVICE_SYNC_PARALLEL,
    patienceMs: settings.SERVICE_SYNC_PATIENCE_S * 1000,
  });
  return {
    activities: syncs,
    stalled: [
      {
        kind: 'dataset-sync',
        workflowId: ({ tenantId, id }) => syncWorkflowId({ tenantId, syncId: id }),
        fail: ({ tenantId, id }, message) =>
          syncs.abandonSync({ tenantId, syncId: id }, { status: 'failed', code: 'internal_error', message }),
      },
    ],
    loops: [createSyncSchedule(deps.database, deps.logger)],
  };
}
