import { LockMode } from '@mikro-orm/postgresql';
import { badRequest, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { featureDefault } from '../features/feature-catalog.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { Model, ModelStageChange, ModelVersion } from './model.entity.js';
import type { Stage } from './model.types.js';

/**
 * Puts a version into Production in one step, for a protocol that knows no requests. The version that was there is archived in
 * the same transaction, so one is in Production at any time. Idempotent.
 * @throws AppError not_found; bad_request for an archived version, and where a second person must approve
 */
export async function promoteDirectly(
  tx: TenantTransaction,
  actor: Actor,
  modelName: string,
  version: number,
): Promise<void> {
  const model = await tx.em.findOne(Model, { name: modelName }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const found = model && (await tx.em.findOne(ModelVersion, { modelId: model.id, version }));
  if (!found) throw notFound('Model version');
  if (found.stage === 'Production') return;
  if (await needsApproval(tx))
    throw badRequest('A second person approves promotions in this tenant: request one from the registry.');
  if (found.stage === 'Archived')
    throw badRequest('An archived version is not promoted; move it to Staging first.');
  const before = await tx.em.findOne(ModelVersion, { modelId: model.id, stage: 'Production' });
  if (before) {
    await move(tx, actor, before, 'Archived', `version ${version} was promoted`);
    await tx.em.flush();
  }
  const from = found.stage;
  await move(tx, actor, found, 'Production', null);
  model.updatedAt = new Date();
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'model.stage',
    target: { kind: 'model_version', id: found.id, label: `${modelName} ${version}` },
    detail: { from, to: 'Production', archived: before?.version ?? null },
  });
  const by = actor.fullName ?? actor.email;
  await notify(tx, tx.tenantId, messages.stageChanged(modelName, version, from, 'Production', by));
}

async function needsApproval(tx: TenantTransaction): Promise<boolean> {
  const tenant = await tx.kysely
    .selectFrom('tenant')
    .where('id', '=', tx.tenantId)
    .select('features')
    .executeTakeFirst();
  return (tenant?.features.promotion_approval ?? featureDefault('promotion_approval')) === true;
}

async function move(
  { em, tenantId }: TenantTransaction,
  actor: Actor,
  version: ModelVersion,
  toStage: Stage,
  reason: string | null,
): Promise<void> {
  em.create(ModelStageChange, {
    ...{
      tenantId,
      modelId: version.modelId,
      version: version.version,
      fromStage: version.stage,
      toStage,
      reason,
    },
    ...{ actorId: actor.id, actorName: actor.fullName ?? actor.email },
  });
  Object.assign(version, { stage: toStage, updatedAt: new Date() });
}
