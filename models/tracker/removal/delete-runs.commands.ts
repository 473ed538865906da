import { notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { freeObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { removeLoggedModels } from '../logged-models/remove-logged-models.commands.js';
import { DELETE_POINTS, DELETE_RUNS } from './delete-run.sql.js';
import { assertEnded, assertFree, assertNotResumed } from './run-use.rules.js';
import { listArtifactKeys, lockRuns, trainingsResuming, versionsUsingRuns } from './run-use.queries.js';
import type { LockedRun } from './run-use.types.js';
import { TrackerExperiment } from '../tracker-experiment.entity.js';

/** Runs whose rows one statement removes. */
const BATCH = 200;

/**
 * Removes a run, also from the bin, with its metrics, params, tags and artifacts, whose objects the sweeper takes away.
 * @throws AppError not_found; conflict while it is active, or a model version uses it
 */
export async function deleteOneRun(tx: TenantTransaction, actor: Actor, runId: string): Promise<void> {
  const runs = await lockRuns(tx, { runIds: [runId] });
  if (runs.length === 0) throw notFound('Run');
  await remove(tx, runs);
  await audit(tx, tx.tenantId, actor, {
    action: 'run.delete',
    target: { kind: 'run', id: runId, label: runId },
  });
}

/**
 * Removes an experiment with all its runs, as `deleteOneRun` does.
 * @throws AppError not_found; conflict while a run in it is active, or a model version uses one
 */
export async function deleteTrackerExperiment(
  tx: TenantTransaction,
  actor: Actor,
  experiment: number,
): Promise<void> {
  // Nobody adds a run to it meanwhile.
  const locked = await tx.kysely
    .selectFrom('tracker_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', experiment)
    .select(['project', 'name'])
    .forUpdate()
    .executeTakeFirst();
  if (!locked) throw notFound('Experiment');
  const runs = await lockRuns(tx, { experiment });
  await remove(tx, runs);
  await removeLoggedModels(tx, experiment);
  await tx.em.nativeDelete(TrackerExperiment, { id: experiment });
  await audit(tx, tx.tenantId, actor, {
    action: 'tracker.experiment_delete',
    target: { kind: 'tracker_experiment', id: String(experiment), label: `${locked.project}/${locked.name}` },
    detail: { runs: runs.length },
  });
}

async function remove(tx: TenantTransaction, runs: readonly LockedRun[]): Promise<void> {
  assertEnded(runs);
  assertNotResumed(
    await trainingsResuming(
      tx,
      runs.map(({ runId }) => runId),
    ),
  );
  const rows = runs.map(({ row }) => row);
  assertFree(await versionsUsingRuns(tx, rows));
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH);
    const keys = await listArtifactKeys(tx, batch);
    await tx.execute(DELETE_POINTS, [tx.tenantId, batch]);
    await tx.execute(DELETE_RUNS, [tx.tenantId, batch]);
    // No version has one of them, and none is made of them while the runs are locked.
    await freeObjects(
      tx,
      keys.map((key) => ({ key })),
    );
  }
}
