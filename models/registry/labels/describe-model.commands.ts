import { LockMode } from '@mikro-orm/postgresql';
import { AlreadyExists, badRequest, conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { unlessTaken } from '../../orm/errors.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { type FindUsers, findUsers } from '../delete-model.commands.js';
import { assertUnused } from '../delete-model.rules.js';
import { modelNameProblem } from '../model-name.rules.js';
import { Model, ModelVersion } from '../model.entity.js';
import { lockModelByName } from '../model.queries.js';
import { INSERT_MODEL } from '../model.sql.js';
import type { KeyValue } from './key-value.types.js';
import { assertTag } from './label.rules.js';
import { ModelTag } from './model-tag.entity.js';

/** @throws AppError bad_request */
export function requireModelName(name: string): void {
  const problem = modelNameProblem(name);
  if (problem !== null)
    throw badRequest(`Invalid model name ${JSON.stringify(name.slice(0, 200))}: it ${problem}.`);
}

/**
 * A model without versions.
 * @returns null when there is one of that name already
 * @throws AppError bad_request
 */
export async function createModel(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  description: string | null,
  tags: readonly KeyValue[],
): Promise<string | null> {
  requireModelName(name);
  for (const tag of tags) assertTag(tag);
  const values = [tx.tenantId, name, description, actor.id];
  const [made] = await tx.rows<{ id: string }>(INSERT_MODEL, values);
  if (!made) return null;
  for (const { key, value } of new Map(tags.map((tag) => [tag.key, tag])).values())
    tx.em.create(ModelTag, { modelId: made.id, key, value, tenantId: tx.tenantId });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'model.create',
    target: { kind: 'model', id: made.id, label: name },
  });
  return made.id;
}

/** @throws AppError not_found */
export async function describeModel(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  description: string,
): Promise<void> {
  const model = await lock(tx, name);
  Object.assign(model, { description, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'model.describe',
    target: { kind: 'model', id: model.id, label: name },
  });
}

/**
 * Images, endpoints, deployments, and the records that devices send carry the name of their model: it is changed while nobody
 * uses a version of it alone.
 * @throws AppError not_found, bad_request, conflict when the name is taken or the model is in use
 */
export async function renameModel(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  newName: string,
  findOthers: FindUsers,
): Promise<void> {
  requireModelName(newName);
  // Its name is part of a key: the change waits for those who add to the model, so the lock does before anything is read.
  const model = await tx.em.findOne(Model, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!model) throw notFound('Registered model');
  const taken = () => new AlreadyExists(`Registered Model (name=${newName}) already exists.`);
  if (await tx.em.findOne(Model, { name: newName })) throw taken();
  const image = await tx.kysely
    .selectFrom('image as i')
    .innerJoin('model_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'i.tenantId').onRef('v.id', '=', 'i.modelVersionId'),
    )
    .where('i.tenantId', '=', tx.tenantId)
    .where('v.modelId', '=', model.id)
    .select('i.id')
    .executeTakeFirst();
  if (image) throw conflict('A version of it has an image, which carries the name of the model.');
  const versions = await tx.em.find(ModelVersion, { modelId: model.id }, { orderBy: { version: 'asc' } });
  const { users, unnamed } = await findUsers(tx, versions, findOthers);
  // The stage is the model's own, whatever its name.
  assertUnused(
    users.filter(({ kind }) => kind !== 'stage'),
    unnamed,
  );
  Object.assign(model, { name: newName, updatedAt: new Date() });
  await unlessTaken('model_name_key', taken, () => tx.em.flush());
  await audit(tx, tx.tenantId, actor, {
    action: 'model.rename',
    target: { kind: 'model', id: model.id, label: newName },
    detail: { from: name },
  });
}

/** @throws AppError not_found */
export async function describeVersion(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  version: number,
  description: string,
): Promise<void> {
  const { id: modelId } = await lock(tx, name);
  const found = await tx.em.findOne(ModelVersion, { modelId, version });
  if (!found) throw notFound('Model version');
  Object.assign(found, { description, updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'model.describe',
    target: { kind: 'model_version', id: found.id, label: `${name} ${version}` },
  });
}

async function lock(tx: TenantTransaction, name: string): Promise<Model> {
  const id = await lockModelByName(tx, name);
  if (id === null) throw notFound('Registered model');
  return tx.em.findOneOrFail(Model, { id }, { refresh: true });
}
