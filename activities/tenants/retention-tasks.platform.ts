import { removeAuditRanges } from '../../models/audit/audit-seal.sql.js';
import { expireUploads, removeUploadsBefore } from '../../models/datasets/uploads/upload-removal.sql.js';
import { listRetainedUploads } from '../../models/datasets/uploads/kept-uploads.sql.js';
import {
  removeCommandsBefore,
  removeDeploymentLinesBefore,
} from '../../models/deployments/old-records.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import {
  removeEndpointLogRowsBefore,
  removeEndpointLogSegmentsBefore,
} from '../../models/serving/logs/endpoint-log-retention.sql.js';
import { listRetained } from '../../models/tenants/retention.sql.js';
import type { Retained, RetainedKind } from '../../models/tenants/retention.types.js';
import {
  removeLogFilesBefore,
  removeLogRowsBefore,
  removeLogSegmentsBefore,
} from '../../models/training/logs/log-retention.sql.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

const BATCH = 2000;
const RANGES = 500;

type Listing = (tx: PlatformTransaction) => Promise<Retained[]>;

/** One batch of one tenant. @returns how many went, and whether there may be more */
type Removal = (tx: PlatformTransaction, retained: Retained) => Promise<{ removed: number; isMore: boolean }>;

const batched =
  (
    remove: (tx: PlatformTransaction, tenantId: string, before: Date, limit: number) => Promise<number>,
  ): Removal =>
  async (tx, { tenantId, before }) => {
    const removed = await remove(tx, tenantId, before, BATCH);
    return { removed, isMore: removed === BATCH };
  };

/** Frees what the tenants' retention settings say is over; reads have hidden it before. A new kind of record appends its removal here. */
export function createRetentionTasks(database: Database): MaintenanceTask[] {
  const task = (name: string, list: Listing, removal: Removal): MaintenanceTask => ({
    name,
    run: (signal) => removeAll(database, list, removal, signal),
  });
  const ofTenants =
    (kind: RetainedKind): Listing =>
    (tx) =>
      listRetained(tx, kind);
  return [
    task('retention-log-rows', ofTenants('logs'), batched(removeLogRowsBefore)),
    task('retention-log-segments', ofTenants('logs'), batched(removeLogSegmentsBefore)),
    task('retention-endpoint-log-rows', ofTenants('logs'), batched(removeEndpointLogRowsBefore)),
    task('retention-endpoint-log-segments', ofTenants('logs'), batched(removeEndpointLogSegmentsBefore)),
    task('retention-log-files', ofTenants('logs'), batched(removeLogFilesBefore)),
    task('retention-commands', ofTenants('logs'), batched(removeCommandsBefore)),
    task('retention-deployment-lines', ofTenants('logs'), batched(removeDeploymentLinesBefore)),
    task('retention-open-uploads', listRetainedUploads, batched(expireUploads)),
    task('retention-uploads', listRetainedUploads, batched(removeUploadsBefore)),
    task('retention-audit', ofTenants('audit'), async (tx, { tenantId, before }) => {
      const { ranges, entries } = await removeAuditRanges(tx, tenantId, before, RANGES);
      return { removed: entries, isMore: ranges === RANGES };
    }),
  ];
}

async function removeAll(
  database: Database,
  list: Listing,
  removal: Removal,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const retained of await database.inPlatform(list))
    for (let isMore = true; isMore && !signal.aborted; ) {
      const batch = await database.inPlatform((tx) => removal(tx, retained));
      total += batch.removed;
      isMore = batch.isMore;
    }
  return total;
}
