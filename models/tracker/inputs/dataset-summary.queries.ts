import { sql } from 'kysely';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';

export interface DatasetSummary {
  readonly experimentId: number;
  readonly name: string;
  readonly digest: string;
  /** For what runs used it; null when none said. */
  readonly context: string | null;
}

const MAX_SUMMARIES = 1000;

/** Datasets that runs of these experiments used. */
export const listDatasetSummaries = (
  tx: TenantTransaction,
  experiments: readonly number[],
): Promise<DatasetSummary[]> =>
  tx.kysely
    .selectFrom('tracker_dataset as d')
    .innerJoin('run_dataset as i', (join) =>
      join.onRef('i.tenantId', '=', 'd.tenantId').onRef('i.dataset', '=', 'd.id'),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .where('d.experiment', '=', anyOf([...experiments]))
    .select([
      'd.experiment as experimentId',
      'd.name',
      'd.digest',
      sql<string | null>`i.tags->>'mlflow.data.context'`.as('context'),
    ])
    .distinct()
    .orderBy('d.name')
    .limit(MAX_SUMMARIES)
    .execute();
