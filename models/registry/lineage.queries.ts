import { sql } from 'kysely';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { anyOf } from '../orm/any-of.js';
import { endpointsOfVersions } from '../serving/endpoint.queries.js';
import {
  devicesOfVersions,
  type FieldLineage,
  findFieldLineage,
  type VersionDevices,
} from './field-lineage.queries.js';
import type { BaseVersion, ModelVersionRow, Stage } from './model.types.js';
import { type DerivedVersions, findDerived } from './derived-versions.queries.js';
import { findVersionById } from './version.queries.js';

/** Where a version comes from and where it is in use; what was removed for good has no name and status any more. */
export interface VersionLineage extends FieldLineage, DerivedVersions {
  readonly training: {
    readonly id: string;
    readonly name: string | null;
    readonly status: string | null;
  } | null;
  /** The version that its training began with; its name as it is now. Null: with none. */
  readonly base: (Omit<BaseVersion, 'versionId'> & { readonly stage: Stage | null }) | null;
  readonly run: { readonly runId: string; readonly name: string | null; readonly status: string | null };
  readonly endpoints: ReadonlyArray<{ readonly name: string; readonly status: string }>;
}

export async function findLineage(tx: TenantTransaction, version: ModelVersionRow): Promise<VersionLineage> {
  const { runId, trainingExperimentId: trainingId } = version;
  const run = await tx.kysely
    .selectFrom('tracker_run')
    .where('tenantId', '=', tx.tenantId)
    .where('runId', '=', runId)
    .select(['name', 'status'])
    .executeTakeFirst();
  const training =
    trainingId === null
      ? null
      : await tx.kysely
          .selectFrom('training_experiment')
          .where('tenantId', '=', tx.tenantId)
          .where('id', '=', trainingId)
          .select(['name', 'status'])
          .executeTakeFirst();
  const endpoints = await tx.kysely
    .selectFrom('serving_endpoint as e')
    .innerJoin('image as i', (join) =>
      join.onRef('i.tenantId', '=', 'e.tenantId').onRef('i.id', '=', 'e.imageId'),
    )
    .where('e.tenantId', '=', tx.tenantId)
    .where('i.modelVersionId', '=', version.id)
    .orderBy('e.name')
    .limit(MAX_PLAIN_LIST)
    .select(['e.name', 'e.status'])
    .execute();
  return {
    training:
      trainingId === null
        ? null
        : { id: trainingId, name: training?.name ?? null, status: training?.status ?? null },
    base: version.base && (await findBase(tx, version.base)),
    run: { runId, name: run?.name ?? null, status: run?.status ?? null },
    endpoints,
    ...(await findFieldLineage(tx, version)),
    ...(await findDerived(tx, version.id)),
  };
}

async function findBase(
  tx: TenantTransaction,
  { versionId, name, version, sha256 }: BaseVersion,
): Promise<VersionLineage['base']> {
  const found = await findVersionById(tx, versionId);
  return { name: found?.name ?? name, version, sha256, stage: found?.stage ?? null };
}

/** Names of the trainings that have not ended and begin with these versions, by the id of the version. */
export async function trainingsOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await tx.kysely
    .selectFrom('training_experiment')
    .where('tenantId', '=', tx.tenantId)
    .where('finishedAt', 'is', null)
    .where(sql<string>`base ->> 'versionId'`, '=', anyOf(versionIds))
    .orderBy('createdAt')
    .select(['name', 'base'])
    .execute();
  const users = Map.groupBy(found, ({ base }) => (base as BaseVersion).versionId);
  return new Map([...users].map(([id, trainings]) => [id, trainings.map(({ name }) => name)]));
}

/** A version that was made from a dataset, with the endpoints that serve it and the devices that have it. */
export interface MadeVersion {
  readonly modelName: string;
  readonly version: number;
  readonly stage: Stage;
  readonly datasetDigest: string | null;
  readonly runId: string;
  readonly trainingExperimentId: string | null;
  readonly endpoints: readonly string[];
  readonly devices: VersionDevices;
}

/**
 * Versions made from a dataset, newest first, at most 1,000, with the true total.
 * @param createdAt of the dataset: versions made before are of another one, which had the id before
 * @param digest only those made from data with this digest; null: all
 */
export async function versionsOfDataset(
  tx: TenantTransaction,
  datasetKey: string,
  createdAt: Date,
  digest: string | null = null,
): Promise<{ items: MadeVersion[]; total: number }> {
  const rows = await tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where('v.datasetKey', '=', datasetKey)
    .where('v.createdAt', '>=', createdAt)
    .$if(digest !== null, (all) => all.where('v.datasetDigest', '=', digest))
    .orderBy('v.createdAt', 'desc')
    .orderBy('v.id')
    .limit(MAX_PLAIN_LIST)
    .select(['v.id', 'm.name as modelName', 'v.version', 'v.stage', 'v.datasetDigest', 'v.runId'])
    .select(['v.trainingExperimentId', sql<number>`count(*) over ()`.as('total')])
    .execute();
  const ids = rows.map(({ id }) => id);
  const endpoints = await endpointsOfVersions(tx, ids);
  const devices = await devicesOfVersions(tx, ids);
  const items = rows.map(({ total: _total, id, ...made }) => ({
    ...made,
    endpoints: endpoints.get(id) ?? [],
    devices: devices.get(id) ?? { keys: [], total: 0 },
  }));
  return { items, total: rows[0]?.total ?? 0 };
}
