import { type SelectQueryBuilder, sql } from 'kysely';
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

/** Holders of any version of the dataset, or of those with this digest, newest first, at most 1,000. */
export async function listUsage(
  tx: TenantTransaction,
  datasetId: string,
  digest: string | null,
): Promise<{ items: UsageRow[]; total: number }> {
  const items = await listed(tx, datasetId)
    .$if(digest !== null, (all) => all.where('v.digest', '=', digest ?? ''))
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .orderBy('h.createdAt', 'desc')
    .orderBy('h.id')
    .limit(1000)
    .execute();
  return { items, total: items[0]?.total ?? 0 };
}

/** Another dataset of which a version has the same digest. */
export interface SameData {
  /** The id people use. */
  readonly key: string;
  readonly name: string;
  readonly digest: string;
  /** True: it is the frozen version of the other dataset now. */
  readonly isCurrent: boolean;
}

const MAX_SAME = 100;

/** Other datasets that have a version with a digest of this one's versions, or with this digest of them; by id. */
export async function listSameData(
  tx: TenantTransaction,
  datasetId: string,
  digest: string | null,
): Promise<{ items: SameData[]; total: number }> {
  const rows = await tx.kysely
    .selectFrom('dataset_version as v')
    .innerJoin('dataset_version as w', (join) =>
      join
        .onRef('w.tenantId', '=', 'v.tenantId')
        .onRef('w.digest', '=', 'v.digest')
        .onRef('w.datasetId', '<>', 'v.datasetId'),
    )
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 'w.tenantId').onRef('d.id', '=', 'w.datasetId'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where('v.datasetId', '=', datasetId)
    .$if(digest !== null, (all) => all.where('v.digest', '=', digest ?? ''))
    .groupBy(['d.key', 'd.name', 'w.digest'])
    .orderBy('d.key')
    .orderBy('w.digest')
    .limit(MAX_SAME)
    .select(['d.key', 'd.name', 'w.digest', sql<number>`count(*) over ()`.as('total')])
    .select(sql<boolean>`coalesce(bool_or(w.id = d.version_id), false)`.as('isCurrent'))
    .execute();
  return { items: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
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
