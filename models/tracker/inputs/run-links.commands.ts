import { notFound } from '../../../core/errors/app-error.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { findActiveRun } from '../runs/active-run.queries.js';
import { lockActiveRun } from '../runs/client-run.commands.js';
import type { DatasetInput, RunModelLink } from '../runs/run-record.types.js';
import { INSERT_DATASET, LINK_DATASETS, LINK_MODELS } from './run-links.sql.js';

/**
 * Says which data and models a run used, and which models it made. Idempotent: what a dataset was used for first stays.
 * @throws AppError not_found for a run or a model that does not exist, bad_request for a deleted run
 */
export async function linkToRun(
  tx: TenantTransaction,
  runId: string,
  datasets: readonly DatasetInput[],
  models: readonly RunModelLink[],
): Promise<void> {
  const { row, experiment } = await findActiveRun(tx, runId);
  // A dataset takes hold of the experiment, and whoever removes that locks its runs after it: so this comes first.
  const used = new Map<number, Readonly<Record<string, string>>>();
  for (const { tags, ...dataset } of datasets) {
    const id = await ensureDataset(tx, experiment, dataset);
    if (!used.has(id)) used.set(id, tags);
  }
  await lockActiveRun(tx, runId);
  await tx.execute(LINK_DATASETS, [tx.tenantId, row, [...used.keys()], [...used.values()].map(toJson)]);
  await linkModels(tx, row, models);
}

const toJson = (tags: Readonly<Record<string, string>>): string => JSON.stringify(tags);

async function linkModels(
  tx: TenantTransaction,
  row: number,
  models: readonly RunModelLink[],
): Promise<void> {
  const rows = await rowsOfModels(tx, models);
  const links = new Map<string, readonly [RunModelLink['direction'], number, number]>();
  for (const { modelId, direction, step } of models) {
    const model = rows.get(modelId);
    if (model === undefined) throw notFound('Logged model');
    links.set(`${direction} ${model}`, [direction, model, step]);
  }
  const columns = [0, 1, 2].map((column) => [...links.values()].map((link) => link[column]));
  await tx.execute(LINK_MODELS, [tx.tenantId, row, ...columns]);
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
