import { sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';

export interface VersionInField {
  readonly model: string;
  readonly version: number;
  /** Devices. */
  readonly count: number;
}

const MAX_VERSIONS = 100;

/**
 * Which versions are how often in the field, at most 100: those of the model first, then the most frequent.
 * @param model name; null: none comes first
 */
export const countInstalled = (tx: TenantTransaction, model: string | null): Promise<VersionInField[]> =>
  tx.kysely
    .selectFrom('edge_installed_model as i')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'i.tenantId').onRef('m.id', '=', 'i.modelId'),
    )
    .where('i.tenantId', '=', tx.tenantId)
    .groupBy(['m.name', 'i.version'])
    .select(({ fn }) => ['m.name as model', 'i.version', fn.countAll<number>().as('count')])
    .$if(model !== null, (all) => all.orderBy(sql`m.name = ${model}`, 'desc'))
    .orderBy('count', 'desc')
    .orderBy('model')
    .orderBy('i.version')
    .limit(MAX_VERSIONS)
    .execute();
