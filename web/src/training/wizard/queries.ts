import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';

export type CatalogModel = Schemas['CatalogModelOut'];
export type Preset = Schemas['PresetOut'];
export type Finding = Schemas['ConfigFinding'];
export type Config = Schemas['ExperimentConfig'];
export type TaskName = Schemas['TaskType'];

/** The catalog changes when an operator changes the installation. */
const CATALOG_MS = 60_000;

export const tasksQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'catalog', 'tasks'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/training/catalog/tasks', { signal })),
    staleTime: CATALOG_MS,
  });

export const frameworksQuery = (tenant: Tenant, task: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'catalog', 'frameworks', task],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/catalog/frameworks', {
          params: { query: { task: task as TaskName } },
          signal,
        }),
      ),
    enabled: task !== null,
    staleTime: CATALOG_MS,
  });

/** All models for a task: the catalog is small, so choosing and searching need no more calls. */
export const modelsQuery = (tenant: Tenant, task: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'catalog', 'models', task],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/catalog/models', {
          params: { query: { task: task as TaskName, page_size: 200 } },
          signal,
        }),
      ),
    enabled: task !== null,
    staleTime: CATALOG_MS,
  });

export const parametersQuery = (tenant: Tenant, framework: string | null, model: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'catalog', 'parameters', framework, model],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/catalog/hyperparameters', {
          params: { query: { framework: framework ?? '', model: model ?? '' } },
          parseAs: 'text',
          signal,
        }),
      ),
    enabled: framework !== null && model !== null,
    staleTime: CATALOG_MS,
  });

export const trainableQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', 'trainable'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/training/datasets', { signal })),
  });

/** What the data are known by: the id stays when files change and they are frozen again. */
export type FrozenData = Pick<Schemas['TrainableDatasetOut'], 'id' | 'digest'>;

export const previewQuery = (
  tenant: Tenant,
  dataset: FrozenData | null,
  task: string | null,
  limit: number,
) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset?.id, 'training-preview', dataset?.digest, task, limit],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/datasets/{dataset_id}/preview', {
          params: { path: { dataset_id: dataset?.id ?? '' }, query: { task: task as TaskName, limit } },
          signal,
        }),
      ),
    enabled: dataset !== null && task !== null,
    // Data of one digest do not change.
    staleTime: 5 * CATALOG_MS,
  });

export const presetsQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'training-presets'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/training/presets', { signal })),
  });

export const checkQuery = (tenant: Tenant, request: Record<string, unknown> | null) =>
  queryOptions({
    queryKey: [tenant.code, 'preflight', 'check', request],
    queryFn: ({ signal }) =>
      body(
        tenant.api.POST('/api/v1/training/experiments:validate', {
          body: request as unknown as Config,
          signal,
        }),
      ),
    enabled: request !== null,
    staleTime: 10_000,
    gcTime: 30_000,
  });

export const estimateQuery = (tenant: Tenant, request: Record<string, unknown> | null, isValid: boolean) =>
  queryOptions({
    queryKey: [tenant.code, 'preflight', 'estimate', request],
    queryFn: ({ signal }) =>
      body(
        tenant.api.POST('/api/v1/training/experiments:estimate', {
          body: request as unknown as Config,
          signal,
        }),
      ),
    enabled: request !== null && isValid,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    gcTime: 30_000,
  });
