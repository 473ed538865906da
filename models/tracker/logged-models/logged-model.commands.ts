import { randomBytes } from 'node:crypto';
import { badRequest, notFound } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import { audit } from '../../audit/audit.commands.js';
import { holdRow } from '../../orm/hold-row.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { defaultExperiment } from '../runs/client-run.commands.js';
import type { KeyValue } from '../run.types.js';
import { TrackerExperiment } from '../tracker-experiment.entity.js';
import { LoggedModel } from './logged-model.entity.js';
import type { LoggedModelStatus } from './logged-model.types.js';

export interface NewLoggedModel {
  /** Null: the tenant's default experiment. */
  readonly experimentId: number | null;
  readonly name: string;
  readonly modelType: string | null;
  readonly sourceRunId: string | null;
  readonly params: readonly KeyValue[];
  readonly tags: readonly KeyValue[];
}

const textsOf = (pairs: readonly KeyValue[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

/** @throws AppError not_found, bad_request for a deleted experiment */
export async function createLoggedModel(
  tx: TenantTransaction,
  actor: Actor,
  { experimentId, params, tags, name, ...model }: NewLoggedModel,
): Promise<string> {
  const experiment = experimentId ?? (await defaultExperiment(tx, actor));
  const known = await tx.em.findOne(TrackerExperiment, { id: experiment });
  if (!known) throw notFound('Experiment');
  if (known.lifecycle !== 'active')
    throw badRequest(`The experiment ${experiment} must be in the 'active' state; it is deleted.`);
  const modelId = `m-${randomBytes(16).toString('hex')}`;
  tx.em.create(LoggedModel, {
    ...model,
    ...{ modelId, experiment, tenantId: tx.tenantId, createdBy: actor.id },
    name: name || `model-${modelId.slice(2, 10)}`,
    params: textsOf(params),
    tags: textsOf(tags),
  });
  await tx.em.flush();
  return modelId;
}

export const finishLoggedModel = (
  tx: TenantTransaction,
  modelId: string,
  status: LoggedModelStatus,
): Promise<void> => change(tx, modelId, () => ({ status }));

/** @throws AppError bad_request when one of them holds another value already */
export const addLoggedModelParams = (
  tx: TenantTransaction,
  modelId: string,
  params: readonly KeyValue[],
): Promise<void> =>
  change(tx, modelId, (model) => {
    for (const { key, value } of params)
      if ((model.params[key] ?? value) !== value)
        throw badRequest(`Params are written once: ${JSON.stringify(key)} holds another value already.`);
    return { params: { ...model.params, ...textsOf(params) } };
  });

export const setLoggedModelTags = (
  tx: TenantTransaction,
  modelId: string,
  tags: readonly KeyValue[],
): Promise<void> => change(tx, modelId, (model) => ({ tags: { ...model.tags, ...textsOf(tags) } }));

/** @throws AppError not_found for a tag that it does not have */
export const deleteLoggedModelTag = (tx: TenantTransaction, modelId: string, key: string): Promise<void> =>
  change(tx, modelId, (model) => {
    const { [key]: removed, ...tags } = model.tags;
    if (removed === undefined) throw notFound('Tag');
    return { tags };
  });

/** It is not listed any more; registered versions keep their files. Idempotent. */
export async function deleteLoggedModel(tx: TenantTransaction, actor: Actor, modelId: string): Promise<void> {
  const model = await hold(tx, modelId);
  if (model.lifecycle === 'deleted') return;
  Object.assign(model, { lifecycle: 'deleted', updatedAt: new Date() });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'logged_model.delete',
    target: { kind: 'logged_model', id: modelId },
  });
}

async function change(
  tx: TenantTransaction,
  modelId: string,
  by: (model: LoggedModel) => Partial<Pick<LoggedModel, 'status' | 'params' | 'tags'>>,
): Promise<void> {
  const model = await hold(tx, modelId);
  Object.assign(model, { ...by(model), updatedAt: new Date() });
  await tx.em.flush();
}

/** Deleted ones too, as in MLflow. Files and metrics of it may still be added meanwhile. @throws AppError not_found */
async function hold(tx: TenantTransaction, modelId: string): Promise<LoggedModel> {
  const model = await holdRow(tx, LoggedModel, { modelId });
  if (!model) throw notFound('Logged model');
  return model;
}
