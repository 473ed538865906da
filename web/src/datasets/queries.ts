import { queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../api/client';
import type { Tenant } from '../app/session';
import { isMoving } from '../shared/state-chip';
import type { paths } from '../api/generated/schema';

export type Dataset = Schemas['DatasetOut'];
export type DatasetDetail = Schemas['DatasetDetailOut'];
export type DatasetFile = Schemas['FileOut'];
export type Source = Schemas['SourceOut'];
export type Sync = Schemas['DatasetSyncOut'];

export type DatasetsQuery = NonNullable<paths['/api/v1/datasets']['get']['parameters']['query']>;
export type FilesQuery = NonNullable<
  paths['/api/v1/datasets/{dataset_id}/files']['get']['parameters']['query']
>;
export type TaskType = Schemas['TaskType'];

/** Milliseconds between two looks at what moves. */
export const LIVE_MS = 2_000;

export const listDatasets = (tenant: Tenant, query: DatasetsQuery, signal: AbortSignal) =>
  body(tenant.api.GET('/api/v1/datasets', { params: { query }, signal }));

export const datasetQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/datasets/{dataset_id}', { params: { path: { dataset_id: id } }, signal })),
    refetchInterval: ({ state }) => (state.data && isSettling(state.data) ? LIVE_MS : 15_000),
  });

/** True while a validation runs or is about to start. */
export const isSettling = (dataset: Dataset): boolean =>
  isMoving(dataset.status) || (dataset.status === 'DRAFT' && dataset.file_count > 0);

export const listFiles = (tenant: Tenant, id: string, query: FilesQuery, signal?: AbortSignal) =>
  body(
    tenant.api.GET('/api/v1/datasets/{dataset_id}/files', {
      params: { path: { dataset_id: id }, query },
      signal,
    }),
  );

/** The picture with exactly this path, if it is there. */
export const imageAt = async (tenant: Tenant, id: string, path: string, signal?: AbortSignal) => {
  const { items } = await listFiles(tenant, id, { path, kind: 'image', page_size: 1 }, signal);
  return items[0] ?? null;
};

const DRAFT = 'draft';

/** A page of files; changes with the dataset's version. */
export const filesQuery = (tenant: Tenant, id: string, query: FilesQuery, version: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'files', version, query],
    queryFn: ({ signal }) => listFiles(tenant, id, query, signal),
    // A frozen list never changes; another one is read again while somebody looks.
    staleTime: version === DRAFT ? 5_000 : Number.POSITIVE_INFINITY,
    refetchInterval: version === DRAFT ? 10_000 : false,
  });

/** What a list of files holds for: the digest, or `draft` while files may still come. */
export const versionOf = (dataset: Dataset): string => dataset.digest ?? DRAFT;

export const fileQuery = (tenant: Tenant, id: string, fileId: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'file', fileId],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/files/{file_id}', {
          params: { path: { dataset_id: id, file_id: fileId } },
          signal,
        }),
      ),
  });

export const classesQuery = (tenant: Tenant, dataset: Dataset, task: TaskType) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset.id, 'classes', task, dataset.digest],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/datasets/{dataset_id}/classes', {
          params: { path: { dataset_id: dataset.id }, query: { task } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const sampleQuery = (tenant: Tenant, dataset: Dataset, limit: number) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset.id, 'sample', limit, dataset.updated_at],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/sample', {
          params: { path: { dataset_id: dataset.id }, query: { limit } },
          signal,
        }),
      ),
  });

export const usageQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'usage'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/usage', {
          params: { path: { dataset_id: id } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });
