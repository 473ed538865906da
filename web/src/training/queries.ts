import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../api/client';
import type { Tenant } from '../app/session';
import { isMoving } from '../shared/state-chip';

export type Experiment = Schemas['ExperimentOut'];
export type ExperimentDetail = Schemas['ExperimentDetailOut'];
export type Step = Schemas['StepOut'];
export type Curves = Schemas['ExperimentMetricsOut'];
export type Artifact = Schemas['ArtifactEntryOut'];

/** Between two looks while something moves; events of the stream come before that. */
const MOVING_MS = 3000;
/** Points of a curve, at most: more than a chart is wide. */
const MAX_POINTS = 2000;

export const experimentKey = (tenant: Tenant, id: string) => [tenant.code, 'training', id] as const;

export const experimentQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'detail'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}', {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (isMoving(state.data?.status) ? MOVING_MS : false),
  });

/** @param keys comma-separated; empty: those the server chooses */
export const curvesQuery = (tenant: Tenant, id: string, keys: string, isLive: boolean) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'metrics', keys],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}/metrics', {
          params: { path: { experiment_id: id }, query: { keys, max_points: MAX_POINTS } },
          signal,
        }),
      ),
    refetchInterval: isLive ? MOVING_MS : false,
    placeholderData: keepPreviousData,
  });

export const checkpointsQuery = (tenant: Tenant, id: string, isLive: boolean) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'checkpoints'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}/checkpoints', {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
    refetchInterval: isLive ? MOVING_MS : false,
  });

export const exportsQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'exports'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}/exports', {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => isMoving(status)) ? MOVING_MS : false,
  });

export const launchQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'launch'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}/launch', {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
  });

export const linkQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...experimentKey(tenant, id), 'link'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/training/experiments/{experiment_id}/mlflow', {
          params: { path: { experiment_id: id } },
          signal,
        }),
      ),
    refetchInterval: 10_000,
  });

export const cancelExperiment = (tenant: Tenant, id: string) =>
  body(
    tenant.api.POST('/api/v1/training/experiments/{experiment_id}/cancel', {
      params: { path: { experiment_id: id } },
    }),
  );

export const deleteExperiment = (tenant: Tenant, id: string) =>
  body(
    tenant.api.DELETE('/api/v1/training/experiments/{experiment_id}', {
      params: { path: { experiment_id: id } },
    }),
  );

export const retryExperiment = (tenant: Tenant, id: string, resume: boolean) =>
  body(
    tenant.api.POST('/api/v1/training/experiments/{experiment_id}/retry', {
      params: { path: { experiment_id: id } },
      body: { resume },
    }),
  );
