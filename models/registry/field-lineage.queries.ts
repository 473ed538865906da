import { sql } from 'kysely';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelVersionRow } from './model.types.js';

/** So many devices and deployments are named with a version; their total is stated. */
const MAX_NAMED = 50;
/** Fewer in a list of versions. */
const MAX_NAMED_IN_LIST = 10;

export interface FieldLineage {
  /** Newest first. */
  readonly deployments: ReadonlyArray<{
    readonly id: string;
    readonly status: string;
    readonly createdAt: Date;
  }>;
  readonly deploymentTotal: number;
  /** Those that say that they have the version installed, by name. */
  readonly devices: ReadonlyArray<{ readonly key: string; readonly installedAt: Date }>;
  readonly deviceTotal: number;
}

/** What brought a version into the field, and where it is there. */
export async function findFieldLineage(
  tx: TenantTransaction,
  { modelId, version }: Pick<ModelVersionRow, 'modelId' | 'version'>,
): Promise<FieldLineage> {
  const deployments = await tx.kysely
    .selectFrom('deployment')
    .where('tenantId', '=', tx.tenantId)
    .where('modelId', '=', modelId)
    .where('version', '=', version)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(MAX_NAMED)
    .select(['id', 'status', 'createdAt', sql<number>`count(*) over ()`.as('total')])
    .execute();
  const devices = await devicesWith(tx, { modelId, version })
    .orderBy('d.key')
    .limit(MAX_NAMED)
    .select(['d.key', 'i.installedAt', sql<number>`count(*) over ()`.as('total')])
    .execute();
  return {
    deployments: deployments.map(({ total: _total, ...deployment }) => deployment),
    deploymentTotal: deployments[0]?.total ?? 0,
    devices: devices.map(({ total: _total, ...device }) => device),
    deviceTotal: devices[0]?.total ?? 0,
  };
}

export interface VersionDevices {
  /** By name. */
  readonly keys: readonly string[];
  readonly total: number;
}

/** Devices that have these versions installed, by the id of the version; versions without any are left out. */
export async function devicesOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<Map<string, VersionDevices>> {
  const found = await tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('edge_installed_model as i', (join) =>
      join
        .onRef('i.tenantId', '=', 'v.tenantId')
        .onRef('i.modelId', '=', 'v.modelId')
        .onRef('i.version', '=', 'v.version'),
    )
    .innerJoin('edge_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'i.tenantId').onRef('d.id', '=', 'i.deviceId'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where('v.id', '=', anyOf(versionIds))
    .groupBy('v.id')
    .select(['v.id', sql<number>`count(*)`.as('total')])
    .select(sql<string[]>`(array_agg(d.key order by d.key))[:${sql.lit(MAX_NAMED_IN_LIST)}]`.as('keys'))
    .execute();
  return new Map(found.map(({ id, keys, total }) => [id, { keys, total }]));
}

interface InstalledVersion {
  readonly modelId: string;
  readonly version: number;
}

/** Devices `d` that have a version, each with what says so, `i`. */
const devicesWith = (tx: TenantTransaction, { modelId, version }: InstalledVersion) =>
  tx.kysely
    .selectFrom('edge_installed_model as i')
    .innerJoin('edge_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'i.tenantId').onRef('d.id', '=', 'i.deviceId'),
    )
    .where('i.tenantId', '=', tx.tenantId)
    .where('i.modelId', '=', modelId)
    .where('i.version', '=', version);

/** Whether a device said to have this version. */
export async function isInstalled(tx: TenantTransaction, version: InstalledVersion): Promise<boolean> {
  const found = await devicesWith(tx, version).select('i.deviceId').limit(1).executeTakeFirst();
  return found !== undefined;
}

/**
 * Whether a device that is not blocked has had this version since a time. A device that was changed since then does not count:
 * it may have been blocked until then.
 */
export async function isInstalledSince(
  tx: TenantTransaction,
  version: InstalledVersion,
  since: Date,
): Promise<boolean> {
  const found = await devicesWith(tx, version)
    .where('i.installedAt', '<=', since)
    .where('d.isBlocked', '=', false)
    .where('d.updatedAt', '<=', since)
    .select('i.deviceId')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
