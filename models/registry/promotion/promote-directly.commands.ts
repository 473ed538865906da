import { badRequest, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { lockModelByName } from '../model.queries.js';
import { lockVersion } from '../version.queries.js';
import { enterProduction } from './enter-production.commands.js';
import { asksForApproval } from './promotion-progress.commands.js';

/**
 * Puts a version into Production in one step, for a protocol that knows no requests. Idempotent.
 * @throws AppError not_found; bad_request for an archived version, and where a second person must approve
 */
export async function promoteDirectly(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  number: number,
): Promise<void> {
  await lockModelByName(tx, modelName);
  const version = await lockVersion(tx, modelName, number);
  if (!version) throw notFound('Model version');
  if (version.stage === 'Production') return;
  if (await asksForApproval(tx))
    throw badRequest('A second person approves promotions in this tenant: request one from the registry.');
  if (version.stage === 'Archived')
    throw badRequest('An archived version is not promoted; move it to Staging first.');
  const actorName = actor.fullName ?? actor.email;
  const reason = 'Moved by a client of the tracker.';
  const former = await enterProduction(tx, version, {
    actorId: actor.id,
    actorName,
    reason,
    promotionId: null,
  });
  await audit(tx, tx.tenantId, actor, {
    action: 'model.stage',
    target: { kind: 'model_version', id: version.id, label: `${modelName} ${number}` },
    detail: { from: version.stage, to: 'Production', archived: former?.version ?? null },
  });
  await notify(
    tx,
    tx.tenantId,
    messages.stageChanged(modelName, number, version.stage, 'Production', actorName),
  );
}
