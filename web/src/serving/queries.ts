import { queryOptions } from '@tanstack/react-query';
import { body, type Schemas, tenantUrl } from '../api/client';
import type { Tenant } from '../app/session';
import { objectClasses } from '../shared/class-colours';

export type Endpoint = Schemas['EndpointOut'];
export type ModelImage = Schemas['ImageOut'];
export type DatasetFile = Schemas['FileOut'];

/** At most so many are looked through at a time. */
const CHOICE = 200;

/** It has not come to rest: what it is on the way to shows by itself. */
export const isSettling = ({ status }: Pick<Endpoint, 'status'>): boolean =>
  status === 'CREATING' || status === 'CONNECTING' || status === 'DEGRADED';

/** Every endpoint of the tenant; the API has no pages for them. */
export const endpointsQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'endpoints', 'list'],
    queryFn: ({ signal }) => body(tenant.api.GET('/api/v1/serving/endpoints', { signal })),
  });

export const endpointQuery = (tenant: Tenant, name: string) =>
  queryOptions({
    queryKey: [tenant.code, 'endpoints', name],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/serving/endpoints/{name}', { params: { path: { name } }, signal })),
    refetchInterval: ({ state }) => (state.data && isSettling(state.data) ? 2_000 : 5_000),
  });

/** The end of a log that is followed. */
export const LOG_BYTES = 256 * 1024;

/** All that an instance printed, as a file with ranges. */
export const logUrl = ({ code }: Tenant, name: string, instance: number): string =>
  tenantUrl(code, `/api/v1/serving/endpoints/${name}/log`, { instance: String(instance) });

export const logQuery = (tenant: Tenant, name: string, instance: number) =>
  queryOptions({
    queryKey: [tenant.code, 'endpoints', name, 'log', instance],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/serving/endpoints/{name}/logs', {
          params: { path: { name }, query: { instance, max_bytes: LOG_BYTES } },
          signal,
        }),
      ),
    refetchInterval: 2_000,
  });

/** So many pages are looked through for an image: the API gives none by its id. */
const IMAGE_PAGES = 5;

/** An image that can be served; null where it is not among the newest thousand. @param id '': none is asked for */
export const servableImageQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [tenant.code, 'images', 'ready', id],
    enabled: id !== '',
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ModelImage | null> => {
      for (let page = 1; page <= IMAGE_PAGES; page++) {
        const query = { status: 'READY', page, page_size: CHOICE } as const;
        const { items } = await body(
          tenant.api.GET('/api/v1/registry/images', { params: { query }, signal }),
        );
        const found = items.find((image) => image.id === id);
        if (found !== undefined || items.length < CHOICE) return found ?? null;
      }
      return null;
    },
  });

/** The repository that an image lies in, as the list of images looks for it. */
export const repositoryOf = (imageRef: string | null): string =>
  imageRef?.replace(/^[^/]*\/|@.*$/g, '') ?? '';

/** What an endpoint serves, found among the images of its repository; null where that is no longer listed. */
export const servedQuery = (
  tenant: Tenant,
  { image_id: imageId, image_ref: imageRef }: Pick<Endpoint, 'image_id' | 'image_ref'>,
) =>
  queryOptions({
    queryKey: [tenant.code, 'images', 'served', imageId],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ModelImage | null> => {
      const query = { q: repositoryOf(imageRef), page_size: CHOICE };
      const { items } = await body(tenant.api.GET('/api/v1/registry/images', { params: { query }, signal }));
      return items.find(({ id }) => id === imageId) ?? null;
    },
  });

/** The dataset that was frozen last; null: there is none. */
export const latestFrozenQuery = (tenant: Tenant) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', 'frozen', 'latest'],
    queryFn: async ({ signal }) => {
      const query = { status: 'FROZEN', page_size: 1 } as const;
      const { items } = await body(tenant.api.GET('/api/v1/datasets', { params: { query }, signal }));
      return items[0] ?? null;
    },
  });

/** What a dataset is called. @param id null: none is asked for */
export const datasetNameQuery = (tenant: Tenant, id: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', id, 'name'],
    enabled: id !== null,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const path = { dataset_id: id ?? '' };
      return (await body(tenant.api.GET('/api/v1/datasets/{dataset_id}', { params: { path }, signal }))).name;
    },
  });

const NO_CLASSES: readonly string[] = [];

/** Classes of the objects that a dataset teaches, in the order of their colours. @param dataset null: not known */
export const objectClassesQuery = (tenant: Tenant, dataset: string | null) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset ?? '', 'object-classes'],
    enabled: dataset !== null,
    initialData: NO_CLASSES,
    initialDataUpdatedAt: 0,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const path = { dataset_id: dataset ?? '' };
      return objectClasses(
        await body(tenant.api.GET('/api/v1/datasets/{dataset_id}', { params: { path }, signal })),
      );
    },
  });

/** A few pictures of a dataset. */
export const picturesQuery = (tenant: Tenant, dataset: string | null, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset, 'pictures', page, pageSize],
    enabled: dataset !== null,
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/files', {
          params: {
            path: { dataset_id: dataset ?? '' },
            // By size, which mixes the classes: by path the first pages are all of one folder.
            query: { kind: 'image', status: 'valid', page, page_size: pageSize, sort: 'size_bytes' },
          },
          signal,
        }),
      ),
  });

/** Whether an endpoint can be started: it is stopped, or it failed. */
export const mayStart = ({ status }: Pick<Endpoint, 'status'>): boolean =>
  status === 'STOPPED' || status === 'FAILED';
