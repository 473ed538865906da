import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { Model, ModelStageChange, ModelVersion } from './model.entity.js';
import type { ModelVersionRow, Stage } from './model.types.js';
import { assertSettable } from './stage.rules.js';
import { findVersionById, lockVersion } from './version.queries.js';

/**
 * Moves a version to Archived, Staging or None and writes the stage history. Setting the stage it has changes
 * nothing.
 * @throws AppError not_found, unprocessable_entity for Production and unknown stages
 */
export async function changeStage(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  version: number,
  stage: string,
): Promise<ModelVersionRow> {
  assertSettable(stage);
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  if (found.stage === stage) return found;
  const actorName = actor.fullName ?? actor.email;
  await move(tx, found, stage, { actorId: actor.id, actorName });
  await audit(tx, tx.tenantId, actor, {
    action: 'model.stage',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
    detail: { from: found.stage, to: stage },
  });
  await notify(tx, tx.tenantId, messages.stageChanged(modelName, version, found.stage, stage, actorName));
  return (await findVersionById(tx, found.id)) as ModelVersionRow;
}

async function move(
  { em, tenantId }: TenantTransaction,
  { id, modelId, version, stage: fromStage }: ModelVersionRow,
  toStage: Stage,
  by: Pick<ModelStageChange, 'actorId' | 'actorName'>,
): Promise<void> {
  const updatedAt = new Date();
  // The version is locked by the caller.
  Object.assign(await em.findOneOrFail(ModelVersion, { id }), { stage: toStage, updatedAt });
  Object.assign(await em.findOneOrFail(Model, { id: modelId }), { updatedAt });
  em.create(ModelStageChange, { tenantId, modelId, version, fromStage, toStage, ...by });
  await em.flush();
}
