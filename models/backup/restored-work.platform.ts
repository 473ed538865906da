import { asTenantId } from '../../core/security/ids.js';
import { UPLOAD_WORKFLOW, VALIDATION_WORKFLOW } from '../datasets/catalog/dataset-work.types.js';
import { failUpload } from '../datasets/uploads/end-upload.commands.js';
import { restartRestoredValidation } from '../datasets/validation/restored-validation.commands.js';
import { restartDeployment } from '../deployments/follow-up/deployment-progress.commands.js';
import { DEPLOYMENT_WORKFLOW } from '../deployments/follow-up/deployment-work.types.js';
import { MODEL_IMAGE_WORKFLOW } from '../images/image-work.types.js';
import { restartRestoredImage } from '../images/restored-image.commands.js';
import type { Database } from '../orm/in-tenant.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { restartPromotion } from '../registry/promotion/restored-promotion.commands.js';
import { PROMOTION_WORKFLOW } from '../registry/promotion/promotion-work.types.js';
import { restartRestoredEndpoint } from '../serving/restored-endpoint.commands.js';
import { SERVING_WORKFLOW } from '../serving/serving-work.types.js';
import { SYNC_WORKFLOW } from '../sources/sync/dataset-sync-work.types.js';
import { endSync } from '../sources/sync/sync-run.commands.js';
import { ACTIVE_ROWS, type ActiveRows } from '../system/stalled-work.sql.js';
import { TENANT_DELETION_WORKFLOW } from '../tenants/deletion-work.types.js';
import { restartRestoredDeletions } from '../tenants/deletion-progress.platform.js';
import { endExport } from '../training/export/export-progress.commands.js';
import { EXPORT_WORKFLOW } from '../training/export/export-work.types.js';
import { restartRestoredExperiment } from '../training/restored-experiment.commands.js';
import { TRAINING_WORKFLOW } from '../training/training-work.types.js';
import { type RestoredRow, listRestoredRows } from './restored-rows.sql.js';

/** What people read of work that a restore ended. */
const ENDED = 'The platform was restored from a backup while this was under way';
const GOES_ON = 'The platform was restored from a backup; it goes on as a new attempt.';

/** What becomes of the rows of one kind of durable work that were active when the backup was taken. */
export interface RestoredKind {
  /** Type of the workflows that moved them on, none of which exists any more. */
  readonly workflowType: string;
  readonly becomes: 'its next attempt' | 'failed';
  /** @returns how many rows there were */
  settle(db: Database): Promise<number>;
}

/** A kind whose rows belong to tenants; one transaction for each row. */
function ofTenants(
  workflowType: string,
  becomes: RestoredKind['becomes'],
  rows: ActiveRows,
  settleRow: (tx: TenantTransaction, row: RestoredRow) => Promise<void>,
): RestoredKind {
  return {
    workflowType,
    becomes,
    settle: async (db) => {
      let settled = 0;
      for (let after: string | null = null; ; ) {
        const page: RestoredRow[] = await db.inPlatform((tx) => listRestoredRows(tx, rows, after));
        for (const row of page) await db.inTenant(asTenantId(row.tenantId), (tx) => settleRow(tx, row));
        settled += page.length;
        after = page.at(-1)?.id ?? null;
        if (after === null) return settled;
      }
    },
  };
}

/**
 * Every kind of durable work, in the order in which a restore settles them: what only ends comes before what
 * begins anew. A test compares it with the workflows that there are.
 */
export const RESTORED_WORK: readonly RestoredKind[] = [
  // Parts that were sent so far lie in uploads that the new store does not know.
  ofTenants(
    UPLOAD_WORKFLOW,
    'failed',
    { table: 'dataset_upload', attempt: '1', where: "state in ('open', 'assembling')" },
    (tx, { id }) =>
      failUpload(tx, id, { code: 'service_unavailable', message: `${ENDED}; upload the file again.` }),
  ),
  ofTenants(SYNC_WORKFLOW, 'failed', ACTIVE_ROWS['dataset-sync'], (tx, { id, tenantId }) =>
    endSync(
      tx,
      { tenantId, syncId: id },
      { status: 'failed', code: 'service_unavailable', message: `${ENDED}; start the sync again.` },
    ),
  ),
  ofTenants(EXPORT_WORKFLOW, 'failed', ACTIVE_ROWS['training-export'], (tx, { id, tenantId, attempt }) =>
    endExport(
      tx,
      { tenantId, exportId: id, attempt },
      { status: 'FAILED', message: `${ENDED}; export it again.` },
    ),
  ),
  ofTenants(VALIDATION_WORKFLOW, 'its next attempt', ACTIVE_ROWS['dataset-validation'], (tx, { id }) =>
    restartRestoredValidation(tx, id),
  ),
  ofTenants(MODEL_IMAGE_WORKFLOW, 'its next attempt', ACTIVE_ROWS['model-image'], (tx, { id }) =>
    restartRestoredImage(tx, id),
  ),
  ofTenants(PROMOTION_WORKFLOW, 'its next attempt', ACTIVE_ROWS.promotion, (tx, { id, attempt }) =>
    restartPromotion(tx, id, attempt),
  ),
  ofTenants(DEPLOYMENT_WORKFLOW, 'its next attempt', ACTIVE_ROWS.deployment, (tx, { id, attempt }) =>
    restartDeployment(tx, id, attempt),
  ),
  ofTenants(TRAINING_WORKFLOW, 'its next attempt', ACTIVE_ROWS.training, (tx, { id, tenantId, attempt }) =>
    restartRestoredExperiment(tx, { tenantId, experimentId: id, attempt }, `${ENDED}.`),
  ),
  ofTenants(
    SERVING_WORKFLOW,
    'its next attempt',
    {
      table: 'serving_endpoint',
      attempt: 'attempt',
      where: "not (status = 'STOPPED' and wish = 'stop') and not (status = 'FAILED' and wish = 'none')",
    },
    (tx, { id }) => restartRestoredEndpoint(tx, id, GOES_ON),
  ),
  {
    workflowType: TENANT_DELETION_WORKFLOW,
    becomes: 'its next attempt',
    settle: (db) => db.inPlatform((tx) => restartRestoredDeletions(tx, GOES_ON)),
  },
];
