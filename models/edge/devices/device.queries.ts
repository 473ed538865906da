import { type InferResult, type SelectQueryBuilder, sql } from 'kysely';
import { notFound } from '../../../core/errors/app-error.js';
import {
  type CappedPage,
  cappedWindow,
  type PlaceParams,
  toCappedPage,
} from '../../../core/paging/capped-page.js';
import { likePattern, type ListQuery } from '../../../core/paging/page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { TenantRetention } from '../policy/policy.types.js';
import { DEVICE_STATUSES, type DeviceStatus } from './device-status.rules.js';
import { countInstalled, type VersionInField } from '../installed/installed-model.queries.js';
import { hasInstalled, hasInstalledOfData, INSTALLED_MODELS } from '../installed/installed-model.sql.js';
import { DEVICE_STATUS } from './device-status.sql.js';
import {
  type DeviceSort,
  type FleetPlace,
  isBehind,
  placeOf,
  readFleetPlace,
  SORT_COLUMN,
  sortValue,
} from './fleet-order.js';

const devices = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('edge_device as d')
    .innerJoin('edge_snapshot as s', (join) =>
      join.onRef('s.tenantId', '=', 'd.tenantId').onRef('s.device', '=', 'd.number'),
    )
    .innerJoin('tenant as t', 't.id', 'd.tenantId')
    .innerJoin('edge_token as k', (join) =>
      join.onRef('k.tenantId', '=', 'd.tenantId').onRef('k.deviceId', '=', 'd.id'),
    )
    .where('d.tenantId', '=', tx.tenantId);

const rows = (tx: TenantTransaction) =>
  devices(tx)
    .select(['d.id', 'd.key', 'd.number', 'd.location', 'd.os', 'd.sdkVersion', 'd.isBlocked'])
    .select(['d.registeredAt', 'd.heartbeatIntervalS', 'd.commandsPollS', 'd.retention', 'd.sync'])
    .select(['d.policyRevision', 'd.createdBy', 'd.createdAt', 'd.updatedAt'])
    .select(['s.cpu', 's.gpu', 's.mem', 's.disk', 's.payload', 's.lastHeartbeatAt', 's.appliedRevision'])
    .select(['k.scopes', 'k.expiresAt', 'k.revokedAt'])
    .select(sql<TenantRetention>`t.retention`.as('tenantRetention'))
    .select(INSTALLED_MODELS.as('models'))
    .select(DEVICE_STATUS.as('status'));

type Listed =
  ReturnType<typeof devices> extends SelectQueryBuilder<infer Tables, infer _From, infer _Out>
    ? Tables
    : never;

/** A device with its token and with what it said last. */
export type DeviceRow = Readonly<InferResult<ReturnType<typeof rows>>[number]>;

export interface DeviceFilter {
  readonly status: DeviceStatus | null;
  readonly location: string | null;
  /** Name of a model that is installed; null: whichever. */
  readonly model: string | null;
  /** Version of that model; null: whichever. */
  readonly version: number | null;
  /** Digest of the data that an installed version was made from; null: whichever. */
  readonly datasetDigest: string | null;
}

export interface Fleet extends CappedPage<DeviceRow> {
  /** Devices by status that the other filters leave. */
  readonly counts: Readonly<Record<DeviceStatus, number>>;
  /** Devices by location that the filters other than those by status and location leave. */
  readonly locations: ReadonlyArray<{ readonly location: string | null; readonly count: number }>;
  /** Versions of the whole fleet, those of the model that is asked for first. */
  readonly versions: readonly VersionInField[];
}

const MAX_LOCATIONS = 100;

/**
 * A page of devices, with how many there are of each status and at each location.
 * @throws AppError unprocessable_entity for a bad `after` and for a numbered page beyond the matches that are counted
 */
export async function listFleet(
  tx: TenantTransaction,
  query: ListQuery<DeviceSort>,
  params: PlaceParams,
  filter: DeviceFilter,
): Promise<Fleet> {
  const { status } = filter;
  const after = readFleetPlace(query, params);
  const window = cappedWindow(query, after !== null);
  const counts = await countByStatus(tx, query.q, filter);
  const counted = status === null ? Object.values(counts).reduce((sum, n) => sum + n, 0) : counts[status];
  const found = await matching(rows(tx), query.q, filter)
    .select(sortValue(query.sort).as('sortValue'))
    .$if(status !== null, (only) => only.where(DEVICE_STATUS, '=', status as DeviceStatus))
    .$if(after !== null, (only) => only.where(isBehind(query, after as FleetPlace)))
    .orderBy(SORT_COLUMN[query.sort], (by) => (query.order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('d.key')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const locations = await countByLocation(tx, query.q, filter);
  const page = toCappedPage(query, window, { rows: found, counted }, ({ sortValue: value, key }) =>
    placeOf(query.sort, value, key),
  );
  return { ...page, counts, locations, versions: await countInstalled(tx, filter.model) };
}

/** Every filter but that by status. */
function matching<O>(
  from: SelectQueryBuilder<Listed, 'd' | 's' | 't' | 'k', O>,
  q: string | null,
  { location, model, version, datasetDigest }: DeviceFilter,
) {
  return from
    .$if(location !== null, (only) => only.where('d.location', '=', location))
    .$if(model !== null, (only) => only.where(hasInstalled(model as string, version)))
    .$if(datasetDigest !== null, (only) => only.where(hasInstalledOfData(datasetDigest ?? '')))
    .$if(q !== null, (only) => only.where('d.key', 'ilike', likePattern(q ?? '')));
}

async function countByStatus(
  tx: TenantTransaction,
  q: string | null,
  filter: DeviceFilter,
): Promise<Record<DeviceStatus, number>> {
  const counted = await matching(devices(tx), q, filter)
    .select(DEVICE_STATUS.as('status'))
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .groupBy(DEVICE_STATUS)
    .execute();
  const found = new Map(counted.map(({ status, n }) => [status, n]));
  const counts = DEVICE_STATUSES.map((status) => [status, found.get(status) ?? 0]);
  return Object.fromEntries(counts) as Record<DeviceStatus, number>;
}

const countByLocation = (
  tx: TenantTransaction,
  q: string | null,
  filter: DeviceFilter,
): Promise<Array<Fleet['locations'][number]>> =>
  matching(devices(tx), q, { ...filter, location: null })
    .select('d.location')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy('d.location')
    .orderBy('count', 'desc')
    .orderBy('d.location')
    .limit(MAX_LOCATIONS)
    .execute();

export const findDevice = async (tx: TenantTransaction, key: string): Promise<DeviceRow | null> =>
  (await rows(tx).where('d.key', '=', key).executeTakeFirst()) ?? null;

/** @throws AppError not_found */
export async function requireDevice(tx: TenantTransaction, key: string): Promise<DeviceRow> {
  const found = await findDevice(tx, key);
  if (!found) throw notFound('Device');
  return found;
}
