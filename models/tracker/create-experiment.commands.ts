import { conflict } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { INSERT_EXPERIMENT } from './experiments/experiment.sql.js';
import { ensureExperiment } from './run.commands.js';
import { TrackerExperiment } from './tracker-experiment.entity.js';

/**
 * Makes an experiment; one of this name that lies in the bin comes back.
 * @throws AppError conflict for a name that is taken within the project
 */
export async function createTrackerExperiment(
  tx: TenantTransaction,
  actor: Actor,
  project: string,
  name: string,
): Promise<TrackerExperiment> {
  const values = [tx.tenantId, project, name, actor.id];
  const [inserted] = await tx.rows<{ id: number }>(INSERT_EXPERIMENT, values);
  const id = inserted?.id ?? (await revive(tx, actor, project, name));
  await audit(tx, tx.tenantId, actor, {
    action: 'tracker.experiment_create',
    target: { kind: 'tracker_experiment', id: String(id), label: `${project}/${name}` },
  });
  return tx.em.findOneOrFail(TrackerExperiment, { id });
}

async function revive(tx: TenantTransaction, actor: Actor, project: string, name: string): Promise<number> {
  if (await tx.em.findOne(TrackerExperiment, { project, name, lifecycle: 'active' }))
    throw conflict(`There is an experiment named ${name} in the project ${project} already.`);
  return ensureExperiment(tx, project, name, actor.id);
}
