import { removeAuditRanges } from '../../models/audit/audit-seal.sql.js';
import { expireUploads, removeUploadsBefore } from '../../models/datasets/uploads/upload-removal.sql.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
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
  const task = (name: string, kind: RetainedKind, removal: Removal): MaintenanceTask => ({
    name,
    run: (signal) => removeAll(database, kind, removal, signal),
  });
  return [
    task('retention-log-rows', 'logs', batched(removeLogRowsBefore)),
    task('retention-log-segments', 'logs', batched(removeLogSegmentsBefore)),
    task('retention-log-files', 'logs', batched(removeLogFilesBefore)),
    task('retention-open-uploads', 'uploads', batched(expireUploads)),
    task('retention-uploads', 'uploads', batched(removeUploadsBefore)),
    task('retention-audit', 'audit', async (tx, { tenantId, before }) => {
      const { ranges, entries } = await removeAuditRanges(tx, tenantId, before, RANGES);
      return { removed: entries, isMore: ranges === RANGES };
    }),
  ];
}

async function removeAll(
  database: Database,
  kind: RetainedKind,
  removal: Removal,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const retained of await database.inPlatform((tx) => listRetained(tx, kind)))
    for (let isMore = true; isMore && !signal.aborted; ) {
      const batch = await database.inPlatform((tx) => removal(tx, retained));
      total += batch.removed;
      isMore = batch.isMore;
    }
  return total;
}
