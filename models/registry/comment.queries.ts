import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';

export interface CommentRow {
  readonly id: string;
  readonly body: string;
  readonly authorName: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const comments = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('model_comment')
    .where('tenantId', '=', tx.tenantId)
    .select(['id', 'body', 'authorName', 'createdBy', 'createdAt', 'updatedAt']);

export async function findComment(tx: TenantTransaction, id: string): Promise<CommentRow | null> {
  return (await comments(tx).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Newest first, at most MAX_PLAIN_LIST, with the true total. */
export async function listComments(
  tx: TenantTransaction,
  versionId: string,
): Promise<{ items: CommentRow[]; total: number }> {
  const rows = await comments(tx)
    .where('versionId', '=', versionId)
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(MAX_PLAIN_LIST)
    .execute();
  return { items: rows.map(({ total, ...comment }) => comment), total: rows[0]?.total ?? 0 };
}
