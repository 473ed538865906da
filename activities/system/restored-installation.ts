import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suspendWorkloads } from '../../adapters/process/suspend-workloads.js';
import { workloadsRoot } from '../../adapters/process/workload-dirs.js';
import { WorkloadStore } from '../../adapters/process/workload-store.js';
import type { Logger } from '../../core/logging/logger.js';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { isOfEarlierEpoch } from '../../models/outbox/workflow-epoch.js';
import { findUnsettledRestore, noteRestoreSettled } from '../../models/system/platform-restore.platform.js';

export interface RestoredDeps {
  readonly database: Database;
  readonly histories: Pick<WorkflowHistories, 'terminateChosen'>;
  readonly dataDir: string;
  readonly logger: Logger;
}

const GRACE_S = 5;
const REASON = 'The installation was restored from a backup, and this began before.';

/**
 * Before anything starts workloads: those that an earlier life left on this machine belong to no row. Does
 * nothing where no restore waits.
 */
export async function removeEarlierWorkloads({ database, dataDir, logger }: RestoredDeps): Promise<void> {
  if ((await findUnsettledRestore(database)) === null) return;
  await suspendWorkloads(dataDir, GRACE_S);
  const root = workloadsRoot(dataDir);
  const ids = await new WorkloadStore(root).ids();
  for (const id of ids) await rm(join(root, id), { recursive: true, force: true });
  if (ids.length > 0) logger.warn({ count: ids.length }, 'workloads from before the restore were removed');
}

/**
 * Before workflows are taken up: where the engine still knows an earlier life, its workflows end, so that
 * they change no row.
 */
export async function endEarlierWorkflows({ database, histories, logger }: RestoredDeps): Promise<void> {
  const epoch = await findUnsettledRestore(database);
  if (epoch === null) return;
  const count = await histories.terminateChosen((id) => isOfEarlierEpoch(id, epoch), REASON);
  if (count > 0) logger.warn({ count }, 'workflows from before the restore were ended');
  await noteRestoreSettled(database);
}
