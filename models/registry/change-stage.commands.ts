import { notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { lockModelByName } from './model.queries.js';
import type { ModelVersionRow } from './model.types.js';
import { endWatches } from './promotion/end-watches.commands.js';
import { assertSettable } from './stage.rules.js';
import { moveVersion } from './stage-history.commands.js';
import { findVersionById, lockVersion } from './version.queries.js';

/**
 * Moves a version to Archived, Staging or None and writes the stage history. Setting the stage it has changes
 * nothing. What leaves Production is watched by no promotion any more.
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
  await lockModelByName(tx, modelName);
  const found = await lockVersion(tx, modelName, version);
  if (!found) throw notFound('Model version');
  if (found.stage === stage) return found;
  const actorName = actor.fullName ?? actor.email;
  await moveVersion(tx, found, stage, { actorId: actor.id, actorName, reason: null, promotionId: null });
  if (found.stage === 'Production') await endWatches(tx, found.modelId);
  await audit(tx, tx.tenantId, actor, {
    action: 'model.stage',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
    detail: { from: found.stage, to: stage },
  });
  await notify(tx, tx.tenantId, messages.stageChanged(modelName, version, found.stage, stage, actorName));
  return (await findVersionById(tx, found.id)) as ModelVersionRow;
}
