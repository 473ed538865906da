import { queryOptions } from '@tanstack/react-query';
import { body } from '../api/client';
import type { Tenant } from '../app/session';
import { isMoving } from '../shared/state-chip';

const SHOWN = 5;
/** The latest deployments, among which those that have not ended are looked for. */
const LOOKED_AT = 50;
const EVERY_MS = 10_000;
const WHILE_MOVING_MS = 3_000;
/** States in which a training has not ended, in the order of its life. */
const UNFINISHED = ['RUNNING', 'FINALIZING', 'PREPARING', 'QUEUED'] as const;

export const recentDatasetsQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'datasets'],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/datasets', {
          params: { query: { page_size: SHOWN, sort: 'updated_at', order: 'desc' } },
          signal,
        }),
      ),
    refetchInterval: EVERY_MS,
  });

export const recentTrainingsQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'trainings'],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/training/experiments', { params: { query: { page_size: SHOWN } }, signal })),
    refetchInterval: EVERY_MS,
  });

export const modelSummaryQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'models'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/models/summary', { signal })),
    refetchInterval: EVERY_MS,
  });

export const endpointsQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'endpoints'],
    queryFn: ({ signal }) => body(api.GET('/api/v1/serving/endpoints', { signal })),
    refetchInterval: EVERY_MS,
  });

/** Everything that runs or waits in a tenant. The API asks for one state at a time. */
export const workQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'work'],
    queryFn: async ({ signal }) => {
      const page_size = SHOWN;
      const [trainings, validations, checked, waiting, synced, deployed] = await Promise.all([
        Promise.all(
          UNFINISHED.map((status) =>
            body(
              api.GET('/api/v1/training/experiments', { params: { query: { status, page_size } }, signal }),
            ),
          ),
        ),
        body(api.GET('/api/v1/datasets', { params: { query: { status: 'VALIDATING', page_size } }, signal })),
        body(
          api.GET('/api/v1/promotions', {
            params: { query: { status: 'PENDING_CHECKS', page_size } },
            signal,
          }),
        ),
        body(
          api.GET('/api/v1/promotions', {
            params: { query: { status: 'WAITING_APPROVAL', page_size } },
            signal,
          }),
        ),
        runningSyncs({ code, api, role: null }, signal),
        body(api.GET('/api/v1/deployments/recent', { params: { query: { limit: LOOKED_AT } }, signal })),
      ]);
      return {
        trainings: trainings.flatMap(({ items }) => items),
        validations: validations.items,
        promotions: [...waiting.items, ...checked.items],
        syncs: synced,
        deployments: deployed.items.filter(({ status }) => isMoving(status)).slice(0, SHOWN),
      };
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined &&
      data.trainings.length + data.validations.length + data.syncs.length + data.deployments.length > 0
        ? WHILE_MOVING_MS
        : EVERY_MS,
  });

/** Synchronisations under way of the datasets that changed last: the API lists them by dataset alone. */
async function runningSyncs({ api }: Tenant, signal: AbortSignal) {
  const { items } = await body(
    api.GET('/api/v1/datasets', {
      params: { query: { page_size: 20, sort: 'updated_at', order: 'desc' } },
      signal,
    }),
  );
  const linked = items.filter(({ external_source }) => external_source !== null).slice(0, SHOWN);
  const newest = await Promise.all(
    linked.map(async (dataset) => {
      const syncs = await body(
        api.GET('/api/v1/datasets/{dataset_id}/syncs', {
          params: { path: { dataset_id: dataset.id }, query: { page_size: 1 } },
          signal,
        }),
      );
      return syncs.items.map((sync) => ({ ...sync, dataset_name: dataset.name }));
    }),
  );
  return newest.flat().filter(({ status }) => status === 'running' || status === 'queued');
}

/** Whether the tenant is the one of the sample, whose picture the platform keeps. */
export const sampleQuery = ({ code, api }: Tenant) =>
  queryOptions({
    queryKey: [code, 'home', 'sample'],
    queryFn: async ({ signal }) => {
      const { items } = await body(
        api.GET('/api/v1/datasets', { params: { query: { q: 'digits-sample', page_size: 1 } }, signal }),
      );
      return items.length > 0;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
