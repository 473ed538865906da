import type { TenantTransaction } from '../../orm/transaction.js';

export interface VersionInField {
  readonly model: string;
  readonly version: number;
  /** Devices. */
  readonly count: number;
}

const MAX_VERSIONS = 100;

/** Which versions are how often in the field, the most frequent first, at most 100. */
export const countInstalled = (tx: TenantTransaction): Promise<VersionInField[]> =>
  tx.kysely
    .selectFrom('edge_installed_model as i')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'i.tenantId').onRef('m.id', '=', 'i.modelId'),
    )
    .where('i.tenantId', '=', tx.tenantId)
    .groupBy(['m.name', 'i.version'])
    .select(({ fn }) => ['m.name as model', 'i.version', fn.countAll<number>().as('count')])
    .orderBy('count', 'desc')
    .orderBy('model')
    .orderBy('i.version')
    .limit(MAX_VERSIONS)
    .execute();
