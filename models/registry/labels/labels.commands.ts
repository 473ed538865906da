import { notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { Model, ModelVersion } from '../model.entity.js';
import { lockModelByName } from '../model.queries.js';
import type { KeyValue } from './key-value.types.js';
import { assertAlias, assertTag } from './label.rules.js';
import { ModelAlias } from './model-alias.entity.js';
import { ModelTag } from './model-tag.entity.js';
import { ModelVersionTag } from './model-version-tag.entity.js';

/** @throws AppError not_found, bad_request */
export async function setModelTag(tx: TenantTransaction, name: string, tag: KeyValue): Promise<void> {
  assertTag(tag);
  const model = await lockModel(tx, name);
  await tx.em.upsert(ModelTag, { modelId: model.id, ...tag, tenantId: tx.tenantId });
  await touch(tx, model);
}

/** Idempotent. @throws AppError not_found for an unknown model */
export async function deleteModelTag(tx: TenantTransaction, name: string, key: string): Promise<void> {
  const model = await lockModel(tx, name);
  const tag = await tx.em.findOne(ModelTag, { modelId: model.id, key });
  if (tag) tx.em.remove(tag);
  await touch(tx, model);
}

/** @throws AppError not_found, bad_request */
export async function setVersionTag(
  tx: TenantTransaction,
  name: string,
  version: number,
  tag: KeyValue,
): Promise<void> {
  assertTag(tag);
  const found = await versionOf(tx, await lockModel(tx, name), version);
  await tx.em.upsert(ModelVersionTag, { versionId: found.id, ...tag, tenantId: tx.tenantId });
  await touch(tx, found);
}

/** Idempotent. @throws AppError not_found for an unknown version */
export async function deleteVersionTag(
  tx: TenantTransaction,
  name: string,
  version: number,
  key: string,
): Promise<void> {
  const found = await versionOf(tx, await lockModel(tx, name), version);
  const tag = await tx.em.findOne(ModelVersionTag, { versionId: found.id, key });
  if (tag) tx.em.remove(tag);
  await touch(tx, found);
}

/** Moves the alias when another version has it. @throws AppError not_found, bad_request */
export async function setAlias(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  alias: string,
  version: number,
): Promise<void> {
  assertAlias(alias);
  const model = await lockModel(tx, name);
  await versionOf(tx, model, version);
  await tx.em.upsert(ModelAlias, { modelId: model.id, alias, version, tenantId: tx.tenantId });
  await touch(tx, model);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.alias_set',
    target: { kind: 'model', id: model.id, label: name },
    detail: { alias, version },
  });
}

/** Idempotent. @throws AppError not_found for an unknown model */
export async function deleteAlias(
  tx: TenantTransaction,
  actor: Actor,
  name: string,
  alias: string,
): Promise<void> {
  const model = await lockModel(tx, name);
  const found = await tx.em.findOne(ModelAlias, { modelId: model.id, alias });
  if (!found) return;
  tx.em.remove(found);
  await touch(tx, model);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.alias_delete',
    target: { kind: 'model', id: model.id, label: name },
    detail: { alias, version: found.version },
  });
}

/** Labels of a model and of its versions change one after the other. */
async function lockModel(tx: TenantTransaction, name: string): Promise<Model> {
  const id = await lockModelByName(tx, name);
  const model = id === null ? null : await tx.em.findOne(Model, { id }, { refresh: true });
  if (!model) throw notFound('Registered model');
  return model;
}

/** @param model locked */
async function versionOf(tx: TenantTransaction, model: Model, version: number): Promise<ModelVersion> {
  const found = await tx.em.findOne(ModelVersion, { modelId: model.id, version }, { refresh: true });
  if (!found) throw notFound('Model version');
  return found;
}

async function touch(tx: TenantTransaction, changed: Model | ModelVersion): Promise<void> {
  changed.updatedAt = new Date();
  await tx.em.flush();
}
