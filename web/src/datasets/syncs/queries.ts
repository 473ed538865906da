import { queryOptions } from '@tanstack/react-query';
import { body } from '../../api/client';
import type { Tenant } from '../../app/session';
import { isMoving } from '../../shared/state-chip';
import { LIVE_MS } from '../queries';

export const linkQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'source'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/source', {
          params: { path: { dataset_id: id } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });

export const syncsQuery = (tenant: Tenant, id: string, page: number) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'syncs', page],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/syncs', {
          params: { path: { dataset_id: id }, query: { page, page_size: 20 } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => isMoving(status)) ? LIVE_MS : 10_000,
  });

export const syncQuery = (tenant: Tenant, id: string, syncId: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'sync', syncId],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/syncs/{sync_id}', {
          params: { path: { dataset_id: id, sync_id: syncId } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (isMoving(state.data?.status) ? LIVE_MS : false),
  });

/** What a sync would change; asked for when somebody wants to see it. */
export const manifestQuery = (tenant: Tenant, sourceId: string, remoteId: string, datasetId: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', datasetId, 'manifest', sourceId, remoteId],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/external-sources/{source_id}/remote-datasets/{remote_dataset_id}/manifest', {
          params: {
            path: { source_id: sourceId, remote_dataset_id: remoteId },
            query: { dataset_id: datasetId },
          },
          signal,
        }),
      ),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export const sourcesQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'sources'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/external-sources', { signal })),
    refetchInterval: 10_000,
  });

export const sourceQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'sources', id],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/external-sources/{source_id}', {
          params: { path: { source_id: id } },
          signal,
        }),
      ),
  });
