import { type Page, toPage } from '../../../core/paging/page.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { PromotionRow, PromotionStatus } from './promotion.types.js';

const ACTIVE: readonly PromotionStatus[] = ['PENDING_CHECKS', 'WAITING_APPROVAL', 'APPROVED'];

const rows = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('promotion as p')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'p.tenantId').onRef('m.id', '=', 'p.modelId'),
    )
    .where('p.tenantId', '=', tx.tenantId)
    .select(['m.name as modelName'])
    .select(['p.id', 'p.modelId', 'p.version', 'p.reason', 'p.scope', 'p.rollbackConditions'])
    .select(['p.status', 'p.statusMessage', 'p.checks', 'p.requiresApproval', 'p.expiresAt'])
    .select(['p.decision', 'p.decidedBy', 'p.decidedByName', 'p.decisionComment', 'p.decidedAt'])
    .select(['p.fromStage', 'p.previousVersion', 'p.isWatched', 'p.lookedAt'])
    .select(['p.watchedSince', 'p.attempt'])
    .select([
      'p.requestedByName',
      'p.createdBy',
      'p.appliedAt',
      'p.finishedAt',
      'p.createdAt',
      'p.updatedAt',
    ]);

export async function findPromotion(tx: TenantTransaction, id: string): Promise<PromotionRow | null> {
  return (await rows(tx).where('p.id', '=', id).executeTakeFirst()) ?? null;
}

/** Newest first. */
export async function listPromotions(
  tx: TenantTransaction,
  query: { page: number; pageSize: number; offset: number },
  status: PromotionStatus | null,
): Promise<Page<PromotionRow>> {
  const { total } = await tx.kysely
    .selectFrom('promotion')
    .where('tenantId', '=', tx.tenantId)
    .$if(status !== null, (all) => all.where('status', '=', status))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await rows(tx)
    .$if(status !== null, (all) => all.where('p.status', '=', status))
    .orderBy('p.createdAt', 'desc')
    .orderBy('p.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** The promotion of a version that has not ended yet; there is one at most. */
export async function findActivePromotion(
  tx: TenantTransaction,
  modelId: string,
  version: number,
): Promise<string | null> {
  const found = await tx.kysely
    .selectFrom('promotion')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .where('version', '=', version)
    .where('status', 'in', ACTIVE)
    .select('id')
    .executeTakeFirst();
  return found?.id ?? null;
}

/**
 * Promotions that need one of these versions, by version: those under way, and those that would bring it back when they
 * are rolled back.
 */
export async function promotionsOfVersions(
  tx: TenantTransaction,
  modelId: string,
  versions: readonly number[],
): Promise<Map<number, string[]>> {
  const found = await tx.kysely
    .selectFrom('promotion')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .where((eb) =>
      eb.or([
        eb.and([eb('version', '=', anyOf(versions)), eb('status', 'in', ACTIVE)]),
        eb.and([
          eb('isWatched', '=', true),
          eb.or([eb('version', '=', anyOf(versions)), eb('previousVersion', '=', anyOf(versions))]),
        ]),
      ]),
    )
    .orderBy('createdAt')
    .select(['id', 'version', 'previousVersion', 'isWatched'])
    .execute();
  const users = new Map<number, string[]>();
  for (const { id, version, previousVersion, isWatched } of found)
    for (const needed of isWatched ? [version, previousVersion] : [version])
      if (needed !== null && versions.includes(needed)) users.set(needed, [...(users.get(needed) ?? []), id]);
  return users;
}
