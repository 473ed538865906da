import { LockMode } from '@mikro-orm/postgresql';
import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { findImagesOfVersions } from '../images/image.queries.js';
import { lockImagesOfVersions, removeImagesOfVersions } from '../images/remove-images.commands.js';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { endpointsOfVersions } from '../serving/endpoint.queries.js';
import { devicesOfVersions } from './field-lineage.queries.js';
import { freeFiles } from './free-files.commands.js';
import { Model, ModelVersion } from './model.entity.js';
import { assertUnused, usersOf, type VersionUser } from './delete-model.rules.js';
import { trainingsOfVersions } from './lineage.queries.js';
import { promotionsOfVersions } from './promotion/promotion.queries.js';

/**
 * Deployments that need versions of a model, by version: they know models, and models do not know them.
 * @param versions numbers
 */
export type FindUsers = (
  tx: TenantTransaction,
  modelId: string,
  versions: readonly number[],
) => Promise<ReadonlyMap<number, readonly string[]>>;

/**
 * Removes one version with its image. Its files go as soon as neither a run nor another version refers to
 * them.
 * @throws AppError not_found; conflict with `detail.users` while it is in Production, served, packed,
 *   promoted, deployed, installed or trained on from
 */
export async function deleteVersion(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  version: number,
  findOthers: FindUsers,
): Promise<void> {
  const model = await lockModel(tx, modelName);
  const versions = await lockVersions(tx, { modelId: model.id, version });
  const [found] = versions;
  if (!found) throw notFound('Model version');
  const keys = await removeVersions(tx, versions, findOthers);
  model.updatedAt = new Date();
  await tx.em.flush();
  await freeFiles(tx, keys);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.version_delete',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
  });
}

/** Removes a model with all its versions and its stage history. @throws AppError as `deleteVersion` */
export async function deleteModel(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  findOthers: FindUsers,
): Promise<void> {
  const model = await lockModel(tx, modelName);
  const versions = await lockVersions(tx, { modelId: model.id });
  const keys = await removeVersions(tx, versions, findOthers);
  tx.em.remove(model);
  await tx.em.flush();
  await freeFiles(tx, keys);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.delete',
    target: { kind: 'model', id: model.id, label: modelName },
    detail: { versions: versions.map((version) => version.version) },
  });
}

async function lockModel(tx: TenantTransaction, name: string): Promise<Model> {
  const model = await tx.em.findOne(Model, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!model) throw notFound('Model');
  return model;
}

const lockVersions = (
  tx: TenantTransaction,
  which: { modelId: string; version?: number },
): Promise<ModelVersion[]> =>
  tx.em.find(ModelVersion, which, { orderBy: { version: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE });

/** Who keeps these versions of one model from going, and how many devices more than are named. */
export async function findUsers(
  tx: TenantTransaction,
  versions: readonly ModelVersion[],
  findOthers: FindUsers,
): Promise<{ users: VersionUser[]; unnamed: number }> {
  const [first] = versions;
  if (!first) return { users: [], unnamed: 0 };
  const ids = versions.map((version) => version.id);
  const numbers = versions.map((version) => version.version);
  const images = await findImagesOfVersions(tx, ids);
  const building = [...images].filter(([, image]) => image.status === 'BUILDING');
  const devices = await devicesOfVersions(tx, ids);
  const users = usersOf(versions, {
    endpoints: await endpointsOfVersions(tx, ids),
    images: new Map(building.map(([id, image]) => [id, [`${image.repository}:${image.tag}`]])),
    trainings: await trainingsOfVersions(tx, ids),
    promotions: await promotionsOfVersions(tx, first.modelId, numbers),
    deployments: await findOthers(tx, first.modelId, numbers),
    devices: new Map([...devices].map(([id, { keys }]) => [id, keys])),
  });
  const unnamed = [...devices.values()].reduce((sum, { keys, total }) => sum + total - keys.length, 0);
  return { users, unnamed };
}

/** @returns keys of their files, for `freeFiles` */
async function removeVersions(
  tx: TenantTransaction,
  versions: readonly ModelVersion[],
  findOthers: FindUsers,
): Promise<string[]> {
  const ids = versions.map((version) => version.id);
  // Whoever creates an endpoint reads the image under a lock on it: after this either it is seen here, or it
  // sees nothing.
  await lockImagesOfVersions(tx, ids);
  const { users, unnamed } = await findUsers(tx, versions, findOthers);
  assertUnused(users, unnamed);
  await removeImagesOfVersions(tx, ids);
  const files = await tx.kysely
    .selectFrom('model_version_file')
    .where('tenantId', '=', tx.tenantId)
    .where('versionId', '=', anyOf(ids))
    .select('objectKey')
    .distinct()
    .execute();
  for (const version of versions) tx.em.remove(version);
  await tx.em.flush();
  return files.map((file) => file.objectKey);
}
