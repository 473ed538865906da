import { AlreadyExists, badRequest, conflict, notFound } from '../../../core/errors/app-error.js';
import { experimentName, type ExperimentPlace } from '../../../formats/mlflow/experiment-name.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { unlessTaken } from '../../orm/errors.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { HELD_BY_TRAINING } from '../run-state.rules.js';
import type { KeyValue } from '../run.types.js';
import { TrackerExperiment } from '../tracker-experiment.entity.js';
import { TrackerRun } from '../tracker-run.entity.js';
import { INSERT_EXPERIMENT, SET_LIFECYCLE_OF_RUNS } from './experiment.sql.js';
import { ExperimentTag } from './experiment-tag.entity.js';

const targetOf = (experiment: TrackerExperiment) => ({
  kind: 'tracker_experiment',
  id: String(experiment.id),
  label: experimentName(experiment),
});

/** @returns null when there is one of that name already, deleted or not */
export async function createExperiment(
  tx: TenantTransaction,
  actor: Actor,
  place: ExperimentPlace,
  tags: readonly KeyValue[],
): Promise<number | null> {
  const values = [tx.tenantId, place.project, place.name, actor.id];
  const [made] = await tx.rows<{ id: number }>(INSERT_EXPERIMENT, values);
  if (!made) return null;
  for (const { key, value } of new Map(tags.map((tag) => [tag.key, tag])).values())
    tx.em.create(ExperimentTag, { experiment: made.id, key, value, tenantId: tx.tenantId });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'tracker.experiment_create',
    target: { kind: 'tracker_experiment', id: String(made.id), label: experimentName(place) },
  });
  return made.id;
}

/** @throws AppError not_found, bad_request for a deleted one, conflict when the name is taken */
export async function renameExperiment(
  tx: TenantTransaction,
  actor: Actor,
  id: number,
  place: ExperimentPlace,
): Promise<void> {
  const experiment = await lockActive(tx, id);
  const taken = () => new AlreadyExists(`Experiment(name=${experimentName(place)}) already exists.`);
  const known = await tx.em.findOne(TrackerExperiment, { project: place.project, name: place.name });
  if (known && known.id !== id) throw taken();
  const before = experimentName(experiment);
  Object.assign(experiment, { ...place, updatedAt: new Date() });
  await unlessTaken('tracker_experiment_tenant_id_project_name_key', taken, () => tx.em.flush());
  await audit(tx, tx.tenantId, actor, {
    action: 'tracker.experiment_rename',
    target: targetOf(experiment),
    detail: { from: before },
  });
}

/**
 * Deletes an experiment with its runs, or restores them: nothing is removed. One that came back by its name left its runs in
 * the bin: they are restored in the same way.
 * @throws AppError not_found, also when all are in that state already; conflict while a training of it runs
 */
export async function setExperimentLifecycle(
  tx: TenantTransaction,
  actor: Actor,
  id: number,
  lifecycle: 'active' | 'deleted',
): Promise<void> {
  // Whoever is about to add a run keeps the row by its key: such a run is waited for, and counts.
  const experiment = await lock(tx, id, 'forUpdate');
  if (lifecycle === 'deleted' && (await tx.em.count(TrackerRun, { experiment: id, ...HELD_BY_TRAINING })) > 0)
    throw conflict(
      'A training of this experiment is queued or running; cancel it or wait until it has ended.',
    );
  const runs = await tx.execute(SET_LIFECYCLE_OF_RUNS, [tx.tenantId, id, lifecycle]);
  if (runs === 0 && experiment.lifecycle === lifecycle) throw notFound('Experiment');
  Object.assign(experiment, { lifecycle, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: lifecycle === 'deleted' ? 'tracker.experiment_delete' : 'tracker.experiment_restore',
    target: targetOf(experiment),
    detail: { is_restorable: true },
  });
}

export async function setExperimentTag(
  tx: TenantTransaction,
  id: number,
  { key, value }: KeyValue,
): Promise<void> {
  const experiment = await lockActive(tx, id);
  experiment.updatedAt = new Date();
  await tx.em.upsert(ExperimentTag, { experiment: id, key, value, tenantId: tx.tenantId });
  await tx.em.flush();
}

/** @throws AppError not_found for a tag that it does not have */
export async function deleteExperimentTag(tx: TenantTransaction, id: number, key: string): Promise<void> {
  const experiment = await lockActive(tx, id);
  const tag = await tx.em.findOne(ExperimentTag, { experiment: id, key });
  if (!tag) throw notFound('Tag');
  experiment.updatedAt = new Date();
  tx.em.remove(tag);
  await tx.em.flush();
}

async function lock(
  tx: TenantTransaction,
  id: number,
  strength: 'forNoKeyUpdate' | 'forUpdate' = 'forNoKeyUpdate',
): Promise<TrackerExperiment> {
  await tx.kysely
    .selectFrom('tracker_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    [strength]()
    .select('id')
    .executeTakeFirst();
  const experiment = await tx.em.findOne(TrackerExperiment, { id });
  if (!experiment) throw notFound('Experiment');
  return experiment;
}

/** @throws AppError not_found, bad_request for a deleted one */
async function lockActive(tx: TenantTransaction, id: number): Promise<TrackerExperiment> {
  const experiment = await lock(tx, id);
  if (experiment.lifecycle !== 'active')
    throw badRequest(`The experiment ${id} must be in the 'active' state; it is deleted.`);
  return experiment;
}
