import { describe, expect, it } from '@jest/globals';
import {
  uploadWorkflowId,
  validationWorkflowId,
} from '../../../models/datasets/catalog/dataset-work.types.js';
import { modelImageWorkflowId } from '../../../models/images/image-work.types.js';
import { syncWorkflowId } from '../../../models/sources/sync/dataset-sync-work.types.js';
import { promotionWorkflowId } from '../../../models/registry/promotion/promotion-work.types.js';
import { deploymentWorkflowId } from '../../../models/deployments/follow-up/deployment-work.types.js';
import { deletionStart } from '../../../models/tenants/deletion-work.types.js';
import { exportWorkflowId } from '../../../models/training/export/export-work.types.js';
import { trainingWorkflowId } from '../../../models/training/training-work.types.js';
import { type LongWork, workflowsUrl } from '../../../web/src/shared/workflow-pages';

const tenantId = 'aaaaaaaa-0000-4000-8000-000000000000';
const id = 'bbbbbbbb-0000-4000-8000-000000000000';
const attempt = 3;
const IDS: Readonly<Record<LongWork, string>> = {
  training: trainingWorkflowId({ tenantId, experimentId: id, attempt }),
  export: exportWorkflowId({ tenantId, exportId: id, attempt }),
  'dataset-validation': validationWorkflowId({ tenantId, datasetId: id, attempt }),
  'dataset-upload': uploadWorkflowId({ tenantId, uploadId: id }),
  'model-image': modelImageWorkflowId({ tenantId, imageId: id, attempt }),
  'dataset-sync': syncWorkflowId({ tenantId, syncId: id }),
  promotion: promotionWorkflowId({ tenantId, promotionId: id, attempt }),
  deployment: deploymentWorkflowId({ tenantId, deploymentId: id, attempt }),
  'tenant-deletion': deletionStart({ deletionId: id, attempt }).workflowId,
};

describe('the page of the workflows behind', () => {
  it.each(Object.entries(IDS))('a %s lists those of its attempts', (kind, workflowId) => {
    const pages = 'http://127.0.0.1:8233/namespaces/visionops/workflows';
    const owner = kind === 'tenant-deletion' ? 'platform' : tenantId;
    const url = new URL(workflowsUrl(pages, kind as LongWork, owner, id));
    expect(url.href).toMatch(`${pages}?query=`);
    const [, beginning = ''] =
      /^WorkflowId STARTS_WITH "([^"]+)"$/.exec(url.searchParams.get('query') ?? '') ?? [];
    expect(workflowId.startsWith(beginning)).toBe(true);
    expect(beginning).toContain(id);
  });
});
