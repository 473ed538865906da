import { type Page, toPage } from '../../core/paging/page.js';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelFile, ModelVersionRow, Stage, TrainingClass } from './model.types.js';

const versions = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .where('v.tenantId', '=', tx.tenantId);

const rows = (tx: TenantTransaction) =>
  versions(tx).select([
    'v.id',
    'v.modelId',
    'm.name',
    'v.version',
    'v.stage',
    'v.runId',
    'v.experimentId',
    'v.trainingExperimentId',
    'v.datasetKey',
    'v.datasetDigest',
    'v.task',
    'v.framework',
    'v.licence',
    'v.base',
    'v.metrics',
    'v.sizeBytes',
    'v.description',
    'v.createdBy',
    'v.createdAt',
    'v.updatedAt',
  ]);

const named = (tx: TenantTransaction, name: string, version: number) =>
  rows(tx).where('m.name', '=', name).where('v.version', '=', version);

export async function findVersion(
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<ModelVersionRow | null> {
  return (await named(tx, name, version).executeTakeFirst()) ?? null;
}

/**
 * The same with the row locked, so that stage, image and endpoints are decided upon one after the other; tags, comments and
 * aliases of it may still be added.
 */
export async function lockVersion(
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<ModelVersionRow | null> {
  return (await named(tx, name, version).forNoKeyUpdate('v').executeTakeFirst()) ?? null;
}

/** The same for whoever adds rows that refer to it: it is not deleted meanwhile. */
export async function keepVersion(
  tx: TenantTransaction,
  name: string,
  version: number,
): Promise<ModelVersionRow | null> {
  return (await named(tx, name, version).forKeyShare('v').executeTakeFirst()) ?? null;
}

export async function findVersionById(tx: TenantTransaction, id: string): Promise<ModelVersionRow | null> {
  return (await rows(tx).where('v.id', '=', id).executeTakeFirst()) ?? null;
}

/** As `lockVersion`, by its id. @returns false once it is deleted */
export async function holdVersion(tx: TenantTransaction, id: string): Promise<boolean> {
  return (await rows(tx).where('v.id', '=', id).forNoKeyUpdate('v').executeTakeFirst()) !== undefined;
}

/** As `lockVersion`, by the id of its model. */
export async function lockVersionOf(
  tx: TenantTransaction,
  modelId: string,
  version: number,
): Promise<ModelVersionRow | null> {
  const found = rows(tx).where('v.modelId', '=', modelId).where('v.version', '=', version);
  return (await found.forNoKeyUpdate('v').executeTakeFirst()) ?? null;
}

/** The version of a model that stands in Production, with its row locked. */
export async function lockProduction(
  tx: TenantTransaction,
  modelId: string,
): Promise<ModelVersionRow | null> {
  const found = rows(tx).where('v.modelId', '=', modelId).where('v.stage', '=', 'Production');
  return (await found.forNoKeyUpdate('v').executeTakeFirst()) ?? null;
}

/** Classes that a version keeps of its training data, beside its row for their length; null: none are kept. */
export async function findTrainingClasses(
  tx: TenantTransaction,
  id: string,
): Promise<readonly TrainingClass[] | null> {
  const found = await versions(tx).where('v.id', '=', id).select('v.trainingClasses').executeTakeFirst();
  return found?.trainingClasses ?? null;
}

export async function findVersionByRegistrationKey(
  tx: TenantTransaction,
  key: string,
): Promise<ModelVersionRow | null> {
  return (await rows(tx).where('v.registrationKey', '=', key).executeTakeFirst()) ?? null;
}

/** Newest first. @param datasetDigest only those made from data with this digest; null: all */
export async function listVersions(
  tx: TenantTransaction,
  modelId: string,
  query: { page: number; pageSize: number; offset: number },
  datasetDigest: string | null = null,
): Promise<Page<ModelVersionRow>> {
  const { total } = await tx.kysely
    .selectFrom('model_version')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .$if(datasetDigest !== null, (all) => all.where('datasetDigest', '=', datasetDigest))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ofModel = rows(tx).where('v.modelId', '=', modelId);
  const items = await ofModel
    .$if(datasetDigest !== null, (all) => all.where('v.datasetDigest', '=', datasetDigest))
    .orderBy('v.version', 'desc')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** Their numbers, lowest first. */
export async function listVersionsInStage(
  tx: TenantTransaction,
  modelId: string,
  stage: Stage,
): Promise<number[]> {
  const found = await tx.kysely
    .selectFrom('model_version')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .where('stage', '=', stage)
    .orderBy('version')
    .select('version')
    .execute();
  return found.map(({ version }) => version);
}

export interface VersionOfRun {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly stage: Stage;
}

/** Versions that were registered from these runs, for the detail of a run and before its deletion. */
export const listVersionsOfRuns = (
  tx: TenantTransaction,
  runIds: readonly string[],
): Promise<VersionOfRun[]> =>
  versions(tx)
    .where('v.runId', '=', anyOf(runIds))
    .orderBy('m.name')
    .orderBy('v.version')
    .select(['v.runId', 'm.name', 'v.version', 'v.stage'])
    .execute();

/** Sorted by path in code-unit order. */
export const listVersionFiles = (tx: TenantTransaction, versionId: string): Promise<ModelFile[]> =>
  tx.kysely
    .selectFrom('model_version_file')
    .where('tenantId', '=', tx.tenantId)
    .where('versionId', '=', versionId)
    .orderBy('path')
    .select(['path', 'sizeBytes', 'sha256', 'objectKey'])
    .execute();

/** Key of the object with a file of a version; null: it has none of this sha256, or is deleted. */
export async function findVersionObject(
  tx: TenantTransaction,
  versionId: string,
  sha256: string,
): Promise<string | null> {
  const found = await listVersionFiles(tx, versionId);
  return found.find((file) => file.sha256 === sha256)?.objectKey ?? null;
}

/** The files of several versions at once, by version id, each by path. */
export async function listFilesOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<Map<string, ModelFile[]>> {
  const rows = await tx.kysely
    .selectFrom('model_version_file')
    .where('tenantId', '=', tx.tenantId)
    .where('versionId', '=', anyOf(versionIds))
    .orderBy('path')
    .select(['versionId', 'path', 'sizeBytes', 'sha256', 'objectKey'])
    .execute();
  return Map.groupBy(rows, ({ versionId }) => versionId);
}
