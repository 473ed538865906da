import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../api/client';
import type { Tenant } from '../app/session';
import { tenantSettingsQuery } from '../shared/tenant-settings';

export type Model = Schemas['ModelOut'];
export type ModelVersion = Schemas['ModelVersionOut'];
export type VersionDetail = Schemas['ModelVersionDetail'];
export type Promotion = Schemas['PromotionOut'];
export type Comparison = Schemas['VersionCompareOut'];

export const summaryQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'models', 'summary'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/models/summary', { signal })),
    refetchInterval: 10_000,
  });

/** Row of the stage matrix; null while every version of it is deleted or there is none of that name. */
export const modelQuery = (tenant: Tenant, name: string) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'row'],
    queryFn: async ({ signal }) => {
      const query = { q: name, page_size: 200 };
      const { items } = await body(tenant.api.GET('/api/v1/models', { params: { query }, signal }));
      return items.find((model) => model.name === name) ?? null;
    },
    refetchInterval: 10_000,
  });

/**
 * A version compared with itself shows its parameters, signature, classes and files. Nothing of the versions before is kept
 * while others are read: what can be done on the page is done to those that are shown.
 */
export const compareQuery = (tenant: Tenant, name: string, from: number, to: number) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'compare', from, to],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/compare', {
          params: { path: { name }, query: { from, to } },
          signal,
        }),
      ),
  });

export const historyQuery = (tenant: Tenant, name: string, at: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'history', at],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/stage-history', {
          params: { path: { name }, query: at === null ? {} : { at } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: at === null ? 10_000 : false,
  });

export const performanceQuery = (tenant: Tenant, name: string, range: string) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'performance', range],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/performance', {
          params: { path: { name }, query: { range } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export interface DistributionAsk {
  readonly feature: 'label' | 'confidence' | 'latency_ms';
  readonly baseline: string;
  readonly range: string;
  readonly version?: number;
}

export const distributionQuery = (tenant: Tenant, name: string, ask: DistributionAsk) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'distribution', ask],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/distribution', {
          params: { path: { name }, query: { ...ask } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const commentsQuery = (tenant: Tenant, name: string, version: number) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'comments', version],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/{version}/comments', {
          params: { path: { name, version } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });

export const promotionQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'promotions', id],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/promotions/{promotion_id}', {
          params: { path: { promotion_id: id } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? 2_500 : 10_000),
  });

/** Something still happens to it by itself. */
export const isUnderWay = ({ status }: Pick<Promotion, 'status'>): boolean =>
  status === 'PENDING_CHECKS' || status === 'WAITING_APPROVAL' || status === 'APPROVED';

/**
 * Whether a second person approves promotions in a tenant. Only global administrators may read the switch.
 * @returns null in the data where it says nothing
 */
export const approvalQuery = (code: string, mayRead: boolean) =>
  queryOptions({
    ...tenantSettingsQuery,
    enabled: mayRead,
    select: ({ items }) => items.find((tenant) => tenant.code === code)?.features.promotion_approval ?? false,
  });

/** The first devices on which a version is installed, with how many there are. */
/** The fleet with its versions, of which those of the model are shown. */
export const fieldQuery = (tenant: Tenant, model: string) =>
  queryOptions({
    queryKey: [tenant.code, 'edge', 'fleet', 'of', model],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/edge/fleet', { params: { query: { model, page_size: 1 } }, signal })),
    refetchInterval: 10_000,
  });

export const devicesQuery = (tenant: Tenant, model: string, version: number) =>
  queryOptions({
    queryKey: [tenant.code, 'edge', 'fleet', 'with', model, version],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/edge/fleet', {
          params: { query: { model, version, page_size: 20 } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });
