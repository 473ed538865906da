import { queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../api/client';
import type { Tenant } from '../app/session';
import { keepWithin } from './keep-within';

/** The newest versions, of which pages show the state. */
const NEWEST = 200;

/** Name of the model that was changed last; null: there is none. */
export const latestModelQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'models', 'latest'],
    queryFn: async ({ signal }) => {
      const query = { page_size: 1, sort: 'updated_at', order: 'desc' } as const;
      const { items } = await body(tenant.api.GET('/api/v1/models', { params: { query }, signal }));
      return items[0]?.name ?? null;
    },
  });

export const versionsQuery = (tenant: Tenant, name: string, page = 1, pageSize = NEWEST) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'versions', page, pageSize],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/versions', {
          params: { path: { name }, query: { page, page_size: pageSize } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
    placeholderData: keepWithin([tenant.code, 'models', name]),
  });

export const versionQuery = (tenant: Tenant, name: string, version: number) =>
  queryOptions({
    queryKey: [tenant.code, 'models', name, 'version', version],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/models/{name}/versions/{version}', {
          params: { path: { name, version } },
          signal,
        }),
      ),
  });

/** The newest image of a version; null: none was ever asked for. */
export const versionImageQuery = (tenant: Tenant, name: string, version: number, isWanted: boolean) =>
  queryOptions({
    queryKey: [tenant.code, 'images', 'of', name, version],
    enabled: isWanted,
    queryFn: async ({ signal }): Promise<Schemas['ImageOut'] | null> => {
      const query = { model: name, page_size: 200 };
      const { items } = await body(tenant.api.GET('/api/v1/registry/images', { params: { query }, signal }));
      return items.find((image) => image.model_version === version) ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'BUILDING' ? 1_000 : false),
  });
