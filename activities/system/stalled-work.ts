import type { Logger } from '../../core/logging/logger.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { awaitingDispatch, listQuietWork } from '../../models/system/stalled-work.platform.js';
import type { ActiveWork, WorkKind } from '../../models/system/stalled-work.sql.js';
import type { MaintenanceTask } from '../support/maintenance-task.js';

/** How the rows of one kind are named in the workflow engine, and how one of them is ended. */
export interface StalledKind {
  readonly kind: WorkKind;
  workflowId(work: ActiveWork): string;
  /**
   * Moves the row to failed with the reason. Idempotent; a row that has ended or begun a new attempt stays as
   * it is.
   */
  fail(work: ActiveWork, reason: string): Promise<void>;
}

export interface StalledWorkDeps {
  readonly database: Database;
  readonly engine: Pick<WorkflowEngine, 'isOpen'>;
  readonly logger: Logger;
}

const STALLED_REASON = 'The work behind it ended without a result; start it again.';
/** Rows that move are not asked about. Nothing depends on it: the engine says whether the work is open. */
const QUIET_S = 900;
const BATCH = 100;

/**
 * The net below the workflows: an active row whose workflow has ended, or is not known, would stay active for
 * ever. Every workflow writes its last word itself; this is for one that was terminated, or lost with the
 * engine's data.
 */
export const createStalledWorkTasks = (
  deps: StalledWorkDeps,
  kinds: readonly StalledKind[],
  quietS = QUIET_S,
): MaintenanceTask[] =>
  kinds.map((kind) => ({
    name: `stalled-${kind.kind}`,
    run: (signal) => failStalled(deps, kind, quietS, signal),
  }));

async function failStalled(
  { database, engine, logger }: StalledWorkDeps,
  { kind, workflowId, fail }: StalledKind,
  quietS: number,
  signal: AbortSignal,
): Promise<number> {
  let failed = 0;
  const errors: unknown[] = [];
  let after: string | null = null;
  do {
    const page: ActiveWork[] = await listQuietWork(database, kind, quietS, after, BATCH);
    // Asked before the engine: what has left the dispatch table by now is known there.
    const awaiting = await awaitingDispatch(database, page.map(workflowId));
    for (const work of page) {
      const id = workflowId(work);
      if (signal.aborted || awaiting.has(id) || (await engine.isOpen(id))) continue;
      try {
        await fail(work, STALLED_REASON);
        failed += 1;
        logger.error(
          { workflow_id: id },
          'a row was active although its workflow has ended; it was moved to failed',
        );
      } catch (err) {
        // Those after it are not to wait until somebody has repaired it.
        errors.push(err);
        logger.error({ err, workflow_id: id }, 'a row whose workflow has ended could not be moved to failed');
      }
    }
    after = page.length < BATCH ? null : (page.at(-1)?.id ?? null);
  } while (after !== null && !signal.aborted);
  if (errors.length > 0)
    throw new Error(`${errors.length} rows whose workflow has ended stay active`, { cause: errors[0] });
  return failed;
}
