import { sql } from 'kysely';
import { fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { type PlaceParams, readPlace } from '../../../core/paging/capped-page.js';
import type { ListQuery } from '../../../core/paging/page.js';
import { microsecondsOf, timeOf } from '../../orm/capped-list.js';

export const DEVICE_SORTS = ['id', 'location', 'last_heartbeat', 'created_at'] as const;
export type DeviceSort = (typeof DEVICE_SORTS)[number];

export const SORT_COLUMN = {
  id: 'd.key',
  location: 'd.location',
  last_heartbeat: 's.lastHeartbeatAt',
  created_at: 'd.createdAt',
} as const;

const TEXT = { id: 'd.key', location: 'd.location' } as const;
const TIME = { last_heartbeat: 's.last_heartbeat_at', created_at: 'd.created_at' } as const;
const isTime = (sort: DeviceSort): sort is keyof typeof TIME => sort in TIME;

/** What a list of devices is sorted by, as its place shows it: times to the microsecond. */
export const sortValue = (sort: DeviceSort) =>
  isTime(sort)
    ? sql<string | null>`${microsecondsOf(TIME[sort])}::text`
    : sql<string | null>`${sql.raw(TEXT[sort])}`;

/** Where a list of devices goes on: behind this value of what it is sorted by, by key where that is the same. */
export interface FleetPlace {
  /** Null: the devices without one come last. */
  readonly value: string | null;
  readonly key: string;
}

type Parts = readonly [sort: string, key: string, ...value: readonly string[]];

export const placeOf = (sort: DeviceSort, value: string | null, key: string): Parts =>
  value === null ? [sort, key] : [sort, key, value];

const isPlace = (parts: unknown): parts is Parts =>
  Array.isArray(parts) &&
  (parts.length === 2 || parts.length === 3) &&
  parts.every((part) => typeof part === 'string');

/** @throws AppError unprocessable_entity for an `after` of another list or another order */
export function readFleetPlace(
  { sort }: Pick<ListQuery<DeviceSort>, 'sort'>,
  params: PlaceParams,
): FleetPlace | null {
  const parts = readPlace(params, isPlace);
  if (parts === null) return null;
  const [sorted, key, value = null] = parts;
  if (sorted !== sort || (isTime(sort) && value !== null && !/^[0-9]{1,17}$/.test(value)))
    throw unprocessable([
      fieldError(['query', 'after'], 'must be next of the page before, in the same order'),
    ]);
  return { value, key };
}

/** Devices behind the place, in the order of the list: those without a value come last in both. */
export function isBehind(
  { sort, order }: Pick<ListQuery<DeviceSort>, 'sort' | 'order'>,
  { value, key }: FleetPlace,
) {
  const column = sql.raw(isTime(sort) ? TIME[sort] : TEXT[sort]);
  if (value === null) return sql<boolean>`(${column} is null and d.key > ${key})`;
  const limit = isTime(sort) ? timeOf(value) : sql`${value}::text`;
  const further = order === 'asc' ? sql`>` : sql`<`;
  return sql<boolean>`(${column} ${further} ${limit} or (${column} = ${limit} and d.key > ${key})
    or ${column} is null)`;
}
