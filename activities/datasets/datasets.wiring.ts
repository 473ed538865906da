import { createTableReader } from '../../adapters/hyparquet/table-reader.js';
import { createImageDecoder } from '../../adapters/sharp/sharp-image-decoder.js';
import { zipReader } from '../../adapters/yauzl/zip-reader.js';
import { uploadWorkflowId, validationWorkflowId } from '../../models/datasets/catalog/dataset-work.types.js';
import { leaveFrozenDataset } from '../../models/edge/uploads/edge-upload.commands.js';
import { createUploadAnnouncer } from '../edge/announce-upload.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createDatasetMaintenance } from './dataset-maintenance.js';
import { createDatasetUploadActivities } from './dataset-upload.activities.js';
import { createDatasetValidationActivities } from './dataset-validation.activities.js';

export function wireDatasets(deps: WorkerDeps): DomainWork {
  const uploads = createDatasetUploadActivities({
    ...{ ...deps, archives: zipReader },
    beforeFiles: leaveFrozenDataset,
    onEnded: createUploadAnnouncer(deps),
  });
  const validation = createDatasetValidationActivities({
    ...deps,
    images: createImageDecoder(),
    tables: createTableReader(),
    quietMs: deps.settings.SERVICE_VALIDATION_QUIET_MS,
  });
  return {
    activities: { ...uploads, ...validation },
    stalled: [
      {
        kind: 'dataset-validation',
        workflowId: ({ tenantId, id, attempt }) => validationWorkflowId({ tenantId, datasetId: id, attempt }),
        fail: ({ tenantId, id, attempt }, reason) =>
          validation.abandonDatasetValidation({ tenantId, datasetId: id, attempt }, reason),
      },
      {
        kind: 'dataset-upload',
        workflowId: ({ tenantId, id }) => uploadWorkflowId({ tenantId, uploadId: id }),
        fail: ({ tenantId, id }, message) =>
          uploads.failDatasetUpload({ tenantId, uploadId: id }, { code: 'internal_error', message }),
      },
    ],
    maintenance: createDatasetMaintenance(deps.database),
  };
}
