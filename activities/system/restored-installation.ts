import type { Logger } from '../../core/logging/logger.js';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { isOfEarlierEpoch } from '../../models/outbox/workflow-epoch.js';
import {
  findUnsettledRestore,
  isFromBeforeRestore,
  recordRestoreSettled,
} from '../../models/backup/restores.platform.js';

interface RestoredDeps {
  readonly database: Database;
  readonly histories: Pick<WorkflowHistories, 'terminateChosen'>;
  readonly hostId: string;
  /** Removes every workload from this machine. @returns how many there were */
  readonly removeWorkloads: () => Promise<number>;
  readonly logger: Logger;
}

const REASON = 'The installation was restored from a backup, and this began before.';

/**
 * Before anything starts workloads on this host: those that began before the restore belong to no row, though rows of the
 * same name may come. Does nothing where rows were never restored, or this host has worked since.
 */
export async function removeEarlierWorkloads({
  database,
  hostId,
  removeWorkloads,
  logger,
}: Pick<RestoredDeps, 'database' | 'hostId' | 'removeWorkloads' | 'logger'>): Promise<void> {
  if (!(await isFromBeforeRestore(database, hostId))) return;
  const count = await removeWorkloads();
  if (count > 0) logger.warn({ count }, 'workloads from before the restore were removed');
}

/**
 * Before workflows are taken up: where the engine still knows workflows from before the restore, they end, so that
 * they change no row.
 */
export async function endEarlierWorkflows({
  database,
  histories,
  logger,
}: Pick<RestoredDeps, 'database' | 'histories' | 'logger'>): Promise<void> {
  const epoch = await findUnsettledRestore(database);
  if (epoch === null) return;
  const count = await histories.terminateChosen((id) => isOfEarlierEpoch(id, epoch), REASON);
  if (count > 0) logger.warn({ count }, 'workflows from before the restore were ended');
  await recordRestoreSettled(database);
}
