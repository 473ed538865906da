import { sql } from 'kysely';
import type { TenantTransaction } from '../orm/transaction.js';
import type { Stage } from './model.types.js';

/** So many are named; their total is stated. */
const MAX_NAMED = 50;

export interface DerivedVersions {
  /** Newest first. */
  readonly derived: ReadonlyArray<{
    readonly name: string;
    readonly version: number;
    readonly stage: Stage;
  }>;
  readonly derivedTotal: number;
}

/** Versions whose training began with the weights of this one. */
export async function findDerived(tx: TenantTransaction, versionId: string): Promise<DerivedVersions> {
  const rows = await tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where(sql<string>`v.base ->> 'versionId'`, '=', versionId)
    .orderBy('v.createdAt', 'desc')
    .orderBy('v.id')
    .limit(MAX_NAMED)
    .select(['m.name', 'v.version', 'v.stage', sql<number>`count(*) over ()`.as('total')])
    .execute();
  return { derived: rows.map(({ total: _total, ...version }) => version), derivedTotal: rows[0]?.total ?? 0 };
}
