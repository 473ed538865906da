import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../../orm/entities.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** What keeps a frozen version of a dataset (`experiment`), or names the dataset as the one to be validated by (`serving_endpoint`). */
export interface DatasetUser {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly status: string | null;
}

const MAX_NAMED = 20;

/** Who uses a dataset: all are counted, the first 20 named. */
export interface DatasetUsers {
  readonly users: readonly DatasetUser[];
  readonly total: number;
}

/** Users as an answer and the audit trail show them. */
export const usersOut = ({ users, total }: DatasetUsers) => ({ users, users_total: total });

const holds = (tx: TenantTransaction, datasetId: string) =>
  tx.kysely
    .selectFrom('dataset_hold as h')
    .innerJoin('dataset_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'h.tenantId').onRef('v.id', '=', 'h.versionId'),
    )
    .leftJoin('training_experiment as e', (join) =>
      join
        .onRef('e.tenantId', '=', 'h.tenantId')
        .onRef('e.id', '=', 'h.holderId')
        .on('h.holderKind', '=', 'experiment'),
    )
    .where('h.tenantId', '=', tx.tenantId)
    .where('v.datasetId', '=', datasetId);

const listed = (tx: TenantTransaction, datasetId: string) =>
  holds(tx, datasetId)
    .select(['h.holderKind', 'h.holderId', 'v.digest', 'h.createdAt'])
    .select(['e.name', 'e.status', 'e.task', 'e.framework', 'e.model', 'e.trackerRunId']);

/** A holder; from `name` on of its training experiment. */
export type UsageRow = Awaited<ReturnType<ReturnType<typeof listed>['executeTakeFirstOrThrow']>>;

/** Holders of any version of the dataset, newest first, at most 1,000. */
export async function listUsage(
  tx: TenantTransaction,
  datasetId: string,
): Promise<{ items: UsageRow[]; total: number }> {
  const items = await listed(tx, datasetId)
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .orderBy('h.createdAt', 'desc')
    .orderBy('h.id')
    .limit(1000)
    .execute();
  return { items, total: items[0]?.total ?? 0 };
}

const holders = (tx: TenantTransaction, datasetId: string) =>
  holds(tx, datasetId).select(['h.holderKind as kind', 'h.holderId as id', 'e.name', 'e.status']).distinct();

/** Who uses the dataset in any version, or as such. */
export const findUsersOfDataset = (
  tx: TenantTransaction,
  dataset: { readonly id: string; readonly key: string },
): Promise<DatasetUsers> =>
  findUsers(
    tx,
    (holders(tx, dataset.id) as Users).unionAll(({ selectFrom, val }) =>
      selectFrom('serving_endpoint as s')
        .select([val('serving_endpoint').as('kind'), 's.id', 's.name', 's.status'])
        .where('s.tenantId', '=', tx.tenantId)
        .where('s.validationDatasetId', '=', dataset.key)
        .where('s.wish', '<>', 'delete'),
    ),
  );

/** Who uses a version that contains a file added by this revision. */
export const findUsersOfFile = (
  tx: TenantTransaction,
  datasetId: string,
  addedRevision: number,
): Promise<DatasetUsers> =>
  findUsers(tx, holders(tx, datasetId).where('v.revision', '>=', addedRevision) as Users);

type Users = SelectQueryBuilder<Tables, never, DatasetUser>;

async function findUsers(tx: TenantTransaction, users: Users): Promise<DatasetUsers> {
  const rows = await tx.kysely
    .selectFrom(users.as('u'))
    .select(['u.kind', 'u.id', 'u.name', 'u.status'])
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .orderBy('u.kind')
    .orderBy('u.name')
    .orderBy('u.id')
    .limit(MAX_NAMED)
    .execute();
  return { users: rows.map(({ total, ...user }) => user), total: rows[0]?.total ?? 0 };
}
