import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Stage } from './model.types.js';

/** One change of a stage: who, when, why, from, to. */
export interface StageChangeRow {
  readonly id: string;
  readonly version: number;
  readonly fromStage: Stage;
  readonly toStage: Stage;
  readonly reason: string | null;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly promotionId: string | null;
  readonly at: Date;
}

/** Rows have microseconds, answers milliseconds: a time that was answered includes its change. */
const changes = (tx: TenantTransaction, modelId: string, until: Date | null) =>
  tx.kysely
    .selectFrom('model_stage_change')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .$if(until !== null, (all) => all.where('at', '<', new Date((until as Date).getTime() + 1)))
    .orderBy('at', 'desc');

/** Newest first, at most MAX_PLAIN_LIST, with the true total. @param until null: up to now */
export async function listStageChanges(
  tx: TenantTransaction,
  modelId: string,
  until: Date | null,
): Promise<{ items: StageChangeRow[]; total: number }> {
  const rows = await changes(tx, modelId, until)
    .select(['id', 'version', 'fromStage', 'toStage', 'reason', 'actorId', 'actorName', 'promotionId', 'at'])
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .limit(MAX_PLAIN_LIST)
    .execute();
  return { items: rows.map(({ total, ...change }) => change), total: rows[0]?.total ?? 0 };
}

/** The version that stood in Production at a time, and since when; null: none did. */
export async function findProductionAt(
  tx: TenantTransaction,
  modelId: string,
  at: Date | null,
): Promise<{ version: number; since: Date } | null> {
  const last = await changes(tx, modelId, at)
    .where((eb) => eb.or([eb('toStage', '=', 'Production'), eb('fromStage', '=', 'Production')]))
    .select(['version', 'toStage', 'at'])
    .limit(1)
    .executeTakeFirst();
  return last?.toStage === 'Production' ? { version: last.version, since: last.at } : null;
}
