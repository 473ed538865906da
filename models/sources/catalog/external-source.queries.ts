import type { InferResult } from 'kysely';
import { MAX_PLAIN_LIST } from '../../../core/paging/page.js';
import type { TenantTransaction } from '../../orm/transaction.js';

const sources = (tx: TenantTransaction) =>
  tx.kysely.selectFrom('external_source as s').where('s.tenantId', '=', tx.tenantId);

const rows = (tx: TenantTransaction) =>
  sources(tx)
    .select([
      's.id',
      's.key',
      's.name',
      's.baseUrl',
      's.sealedToken',
      's.description',
      's.enabled',
      's.createdBy',
      's.createdAt',
      's.updatedAt',
    ])
    .select((eb) =>
      eb
        .selectFrom('dataset_source as l')
        .whereRef('l.tenantId', '=', 's.tenantId')
        .whereRef('l.sourceId', '=', 's.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('datasetCount'),
    );

/** A source with how many datasets are linked to it. */
export type SourceRow = Readonly<InferResult<ReturnType<typeof rows>>[number]>;

/** By name, at most 1,000, with the true total. */
export async function listSources(tx: TenantTransaction): Promise<{ items: SourceRow[]; total: number }> {
  const items = await rows(tx).orderBy('s.name').orderBy('s.key').limit(MAX_PLAIN_LIST).execute();
  if (items.length < MAX_PLAIN_LIST) return { items, total: items.length };
  const { total } = await sources(tx)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items, total };
}

/** @param key the id people use */
export async function findSource(tx: TenantTransaction, key: string): Promise<SourceRow | null> {
  return (await rows(tx).where('s.key', '=', key).executeTakeFirst()) ?? null;
}

/** Null when it is gone. @param id row id */
export async function findSourceById(tx: TenantTransaction, id: string): Promise<SourceRow | null> {
  return (await rows(tx).where('s.id', '=', id).executeTakeFirst()) ?? null;
}
