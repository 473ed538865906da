import { notFound } from '../../../core/errors/app-error.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { activeRun } from '../runs/client-run.commands.js';
import type { DatasetInput, RunModelLink } from '../runs/run-record.types.js';
import { RunDataset } from './run-dataset.entity.js';
import { INSERT_DATASET } from './run-links.sql.js';
import { RunModel } from './run-model.entity.js';

/**
 * Says which data and models a run used, and which models it made. Idempotent.
 * @throws AppError not_found for a run or a model that does not exist, bad_request for a deleted run
 */
export async function linkToRun(
  tx: TenantTransaction,
  runId: string,
  datasets: readonly DatasetInput[],
  models: readonly RunModelLink[],
): Promise<void> {
  const run = await activeRun(tx, runId);
  for (const { tags, ...dataset } of datasets) {
    const id = await ensureDataset(tx, run.experiment, dataset);
    await tx.em.upsert(RunDataset, { run: run.id, dataset: id, tags, tenantId: tx.tenantId });
  }
  const rows = await rowsOfModels(tx, models);
  for (const { modelId, direction, step } of models) {
    const model = rows.get(modelId);
    if (model === undefined) throw notFound('Logged model');
    await tx.em.upsert(RunModel, { run: run.id, direction, model, step, tenantId: tx.tenantId });
  }
  await tx.em.flush();
}

/** The first description of a dataset stays. */
async function ensureDataset(
  tx: TenantTransaction,
  experiment: number,
  dataset: Omit<DatasetInput, 'tags'>,
): Promise<number> {
  const { name, digest, sourceType, source, schema, profile } = dataset;
  const values = [tx.tenantId, experiment, name, digest, sourceType, source, schema, profile];
  await tx.execute(INSERT_DATASET, values);
  const { id } = await tx.kysely
    .selectFrom('tracker_dataset')
    .where('tenantId', '=', tx.tenantId)
    .where('experiment', '=', experiment)
    .where('name', '=', dataset.name)
    .where('digest', '=', dataset.digest)
    .select('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function rowsOfModels(
  tx: TenantTransaction,
  models: ReadonlyArray<Pick<RunModelLink, 'modelId'>>,
): Promise<ReadonlyMap<string, number>> {
  const ids = models.map(({ modelId }) => modelId);
  const found = await tx.kysely
    .selectFrom('logged_model')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', anyOf(ids))
    .select(['id', 'modelId'])
    .execute();
  return new Map(found.map(({ id, modelId }) => [modelId, id]));
}
