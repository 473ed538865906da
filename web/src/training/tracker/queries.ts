import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';

export type Run = Schemas['RunOut'];
export type Comparison = Schemas['RunCompareOut'];
export type Tree = Schemas['ExperimentTreeOut'];

const MAX_POINTS = 1000;

/** States of a run in which it may still log. */
export const isOpen = (status: string | undefined): boolean => status === 'RUNNING' || status === 'SCHEDULED';

/** Begins the keys of all that is read of a run: curves and files too. */
export const runKey = (tenant: Tenant, runId: string) => [tenant.code, 'runs', runId] as const;

export const runQuery = (tenant: Tenant, runId: string) =>
  queryOptions({
    queryKey: [...runKey(tenant, runId), 'detail'],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/runs/{run_id}', { params: { path: { run_id: runId } }, signal })),
    refetchInterval: ({ state }) => (isOpen(state.data?.status) ? 3000 : false),
  });

export const seriesQuery = (tenant: Tenant, runId: string, name: string, isLive: boolean) =>
  queryOptions({
    queryKey: [...runKey(tenant, runId), 'series', name],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/runs/{run_id}/metrics/{name}', {
          params: { path: { run_id: runId, name }, query: { max_points: MAX_POINTS } },
          signal,
        }),
      ),
    refetchInterval: isLive ? 3000 : false,
    staleTime: isLive ? 2000 : 60_000,
  });

const RANGE_MS = 15_000;

/** The curve from which least and greatest are taken; while the run logs and somebody looks, it is read now and then. */
export const rangeQuery = (
  tenant: Tenant,
  run: Pick<Run, 'run_id' | 'status'>,
  name: string,
  isInSight: boolean,
) => ({
  ...seriesQuery(tenant, run.run_id, name, false),
  refetchInterval: isInSight && isOpen(run.status) ? RANGE_MS : (false as const),
  staleTime: isOpen(run.status) ? RANGE_MS : 60_000,
});

/** @param runIds at least one */
export const compareQuery = (tenant: Tenant, runIds: readonly string[]) =>
  queryOptions({
    queryKey: [tenant.code, 'runs', 'compare', runIds.join()],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/runs/compare', { params: { query: { run_ids: runIds.join() } }, signal })),
    enabled: runIds.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.runs.some(({ status }) => isOpen(status)) ? 3000 : false),
  });

/** @param q what experiments and runs are looked for by; '': all of them */
export const treeQuery = (tenant: Tenant, maxRuns: number, q = '') =>
  queryOptions({
    queryKey: [tenant.code, 'runs', 'tree', maxRuns, q],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/experiments/tree', { params: { query: { max_runs: maxRuns, q } }, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });

export const terminateRun = (tenant: Tenant, runId: string) =>
  body(tenant.api.POST('/api/v1/runs/{run_id}/terminate', { params: { path: { run_id: runId } } }));

export const deleteRun = (tenant: Tenant, runId: string) =>
  body(tenant.api.DELETE('/api/v1/runs/{run_id}', { params: { path: { run_id: runId } } }));
