import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../api/client';
import type { Tenant } from '../app/session';
import { type ListSearch, listQuery, PAGE_SIZE } from '../shared/list/column';
import { boundsOf, keyOf, type TimeRange } from '../shared/time-range/time-range';
import { fleetFilters } from './fleet/installed';

export type Device = Schemas['DeviceOut'];
export type Fleet = Schemas['FleetPage'];
export type DeviceStatus = Schemas['DeviceStatusName'];
export type Telemetry = Schemas['TelemetryOut'];
export type Inference = Schemas['InferenceOut'];
export type Command = Schemas['CommandOut'];
export type Transfer = Schemas['TransferOut'];
export type Policy = Schemas['PolicyOut'];
export type DeviceToken = Schemas['DeviceTokenOut'];

/** Without an event: status is derived from the time that has passed, which sends no event. */
const LOOK_MS = 10_000;
/** At most so many rows of one answer. */
const MOST = 200;
/** Records behind the charts: more points than a chart is wide say nothing more. */
const CHARTED = 500;

export const fleetKey = (tenant: Pick<Tenant, 'code'>) => [tenant.code, 'edge', 'fleet'] as const;
export const deviceKey = (tenant: Pick<Tenant, 'code'>, id: string) =>
  [tenant.code, 'edge', 'device', id] as const;

export const listFleet = (tenant: Tenant, search: ListSearch, signal: AbortSignal) =>
  body(
    tenant.api.GET('/api/v1/edge/fleet', {
      params: { query: listQuery(fleetFilters(search)) as never },
      signal,
    }),
  );

export const fleetQuery = (tenant: Tenant, search: ListSearch) =>
  queryOptions({
    queryKey: [...fleetKey(tenant), search],
    queryFn: ({ signal }) => listFleet(tenant, search, signal),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_MS,
  });

export const deviceQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'detail'],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/edge/devices/{device_id}', { params: pathOf(id), signal })),
    refetchInterval: LOOK_MS,
  });

/** What the platform is asked for to draw a range; the last hours end when it is asked. */
export const chartedIn = (range: TimeRange) =>
  ({ ...boundsOf(range, Date.now()), limit: CHARTED, spread: true }) as const;

/** Heartbeats over a range of time, spread over it where there are many. */
export const heartbeatsQuery = (tenant: Tenant, id: string, range: TimeRange) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'heartbeats', keyOf(range)],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/devices/{device_id}/logs', {
          params: { ...pathOf(id), query: chartedIn(range) },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** @param kind undefined: each */
export const telemetryQuery = (
  tenant: Tenant,
  id: string,
  kind: string | undefined,
  cursor: string | undefined,
  limit = PAGE_SIZE,
) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'telemetry', kind, cursor, limit],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/devices/{device_id}/telemetry', {
          params: { ...pathOf(id), query: { kind, cursor, limit } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Telemetry of a kind over a range of time, spread over it where there is much. */
export const chartedTelemetryQuery = (tenant: Tenant, id: string, kind: string, range: TimeRange) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'telemetry', kind, 'charted', keyOf(range)],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/devices/{device_id}/telemetry', {
          params: { ...pathOf(id), query: { kind, ...chartedIn(range) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const inferenceQuery = (tenant: Tenant, id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'inference', cursor],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/devices/{device_id}/inference', {
          params: { ...pathOf(id), query: { cursor, limit: PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const listCommands = (tenant: Tenant, id: string, search: ListSearch, signal: AbortSignal) =>
  body(
    tenant.api.GET('/api/v1/edge/devices/{device_id}/commands', {
      params: { ...pathOf(id), query: listQuery(search) as never },
      signal,
    }),
  );

export const listTransfers = (tenant: Tenant, id: string, search: ListSearch, signal: AbortSignal) =>
  body(
    tenant.api.GET('/api/v1/edge/devices/{device_id}/uploads', {
      params: { ...pathOf(id), query: listQuery(search) as never },
      signal,
    }),
  );

/** The latest transfers, to find the picture of a prediction among them. */
export const latestTransfersQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...deviceKey(tenant, id), 'uploads', 'latest'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/devices/{device_id}/uploads', {
          params: { ...pathOf(id), query: { state: 'done', page_size: MOST } },
          signal,
        }),
      ),
  });

export const pathOf = (id: string) => ({ path: { device_id: id } });
