import type { TenantTransaction } from '../orm/transaction.js';
import { Model, ModelStageChange, ModelVersion } from './model.entity.js';
import type { ModelVersionRow, Stage } from './model.types.js';

/** Who moved a version, and why. */
export interface StageMover {
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly reason: string | null;
  readonly promotionId: string | null;
}

/**
 * Moves a version and writes the stage history: every change of a stage goes through here. The caller has locked the
 * model, so that the times of its history are in the order of its changes.
 */
export async function moveVersion(
  { em, tenantId }: TenantTransaction,
  { id, modelId, version, stage: fromStage }: Pick<ModelVersionRow, 'id' | 'modelId' | 'version' | 'stage'>,
  toStage: Stage,
  by: StageMover,
): Promise<void> {
  const updatedAt = new Date();
  const found = await em.findOneOrFail(ModelVersion, { id }, { refresh: true });
  Object.assign(found, { stage: toStage, updatedAt });
  Object.assign(await em.findOneOrFail(Model, { id: modelId }), { updatedAt });
  em.create(ModelStageChange, { tenantId, modelId, version, fromStage, toStage, ...by });
  await em.flush();
}
