import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { isHeldByTraining } from '../run-state.rules.js';
import type { LockedRun, RunUser } from './run-use.types.js';

/** Active runs are not deleted under their clients. */
const ACTIVE = ['RUNNING', 'SCHEDULED'] as const;

/**
 * Locks runs by their ids or all of an experiment's, those in the bin too, so that nothing is registered from them
 * meanwhile; in the order of their ids.
 */
export async function lockRuns(
  tx: TenantTransaction,
  which: { readonly runIds: readonly string[] } | { readonly experiment: number },
): Promise<LockedRun[]> {
  const runs = tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .$if('experiment' in which, (all) =>
      all.where('experiment', '=', (which as { experiment: number }).experiment),
    )
    .$if('runIds' in which, (all) =>
      all.where('runId', '=', anyOf((which as { runIds: readonly string[] }).runIds)),
    );
  const rows = await runs
    .orderBy('id')
    .select(['id', 'runId', 'status', 'lifecycle', 'isJobOpen', 'trainingId', 'finishedAt'])
    .forUpdate()
    .execute();
  return rows.map((run) => ({
    row: run.id,
    runId: run.runId,
    isActive:
      isHeldByTraining(run) ||
      (run.lifecycle === 'active' && (ACTIVE as readonly string[]).includes(run.status)),
  }));
}

const MAX_NAMED = 20;

/** Trainings under way that go on from a checkpoint of one of the runs. */
export async function trainingsResuming(
  tx: TenantTransaction,
  runIds: readonly string[],
): Promise<Array<{ readonly runId: string; readonly training: string }>> {
  const found = await tx.kysely
    .selectFrom('training_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('resumeRunId', '=', anyOf(runIds))
    .where('finishedAt', 'is', null)
    .orderBy('createdAt')
    .limit(MAX_NAMED)
    .select(['resumeRunId', 'id'])
    .execute();
  return found.map(({ resumeRunId, id }) => ({ runId: resumeRunId as string, training: id }));
}

export const versionsUsingRuns = (tx: TenantTransaction, rows: readonly number[]): Promise<RunUser[]> =>
  tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .innerJoin('tracker_run as r', (join) =>
      join.onRef('r.tenantId', '=', 'v.tenantId').on('r.id', '=', anyOf(rows)),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where((eb) =>
      eb.or([
        eb('v.runId', '=', eb.ref('r.runId')),
        eb.exists(
          eb
            .selectFrom('model_version_file as f')
            .innerJoin('run_artifact as a', (join) =>
              join.onRef('a.tenantId', '=', 'f.tenantId').onRef('a.objectKey', '=', 'f.objectKey'),
            )
            .whereRef('f.tenantId', '=', 'v.tenantId')
            .whereRef('f.versionId', '=', 'v.id')
            .whereRef('a.run', '=', 'r.id')
            .select('f.versionId'),
        ),
      ]),
    )
    .distinct()
    .orderBy('m.name')
    .orderBy('v.version')
    .limit(MAX_NAMED)
    .select(['r.runId', 'm.name as modelName', 'v.version'])
    .execute();

/** Runs that are not there are left out. */
export async function listArtifactKeys(tx: TenantTransaction, rows: readonly number[]): Promise<string[]> {
  const found = await tx.kysely
    .selectFrom('run_artifact')
    .where('tenantId', '=', tx.tenantId)
    .where('run', '=', anyOf(rows))
    .select('objectKey')
    .execute();
  return found.map(({ objectKey }) => objectKey);
}
