import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelVersionRow } from './model.types.js';
import { assertSettable } from './stage.rules.js';
import { findVersionById, lockVersion } from './version.repository.js';

/**
 * Moves a version to Archived, Staging or None and writes the stage history. Setting the stage it has changes nothing.
 * @throws AppError not_found, unprocessable_entity for Production and unknown stages
 */
export async function changeStage(tx: TenantTransaction, actor: Actor, modelName: string, version: number, stage: string): Promise<ModelVersionRow> {
  assertSettable(stage);
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  if (found.stage === stage) return found;
  await tx.execute('update model_version set stage = $3, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, found.id, stage]);
  await tx.execute('update model set updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, found.modelId]);
  await tx.execute('insert into model_stage_change (tenant_id, model_id, version, from_stage, to_stage, actor_id, actor_name) values ($1, $2, $3, $4, $5, $6, $7)', [
    tx.tenantId,
    found.modelId,
    version,
    found.stage,
    stage,
    actor.id,
    actor.fullName ?? actor.email,
  ]);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.stage',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
    detail: { from: found.stage, to: stage },
  });
  await notify(tx, tx.tenantId, messages.stageChanged(modelName, version, found.stage, stage, actor.fullName ?? actor.email));
  return (await findVersionById(tx, found.id)) as ModelVersionRow;
}
