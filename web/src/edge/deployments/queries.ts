import { queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import { type Deployment, deploymentsKey } from '../../shared/deployments/queries';
import { type ListSearch, listQuery } from '../../shared/list/column';
import { isMoving } from '../../shared/state-chip';

export type DeployedDevice = Schemas['DeploymentDeviceOut'];
export type LogLine = Schemas['DeploymentLogOut'];
export type DeviceStep = Schemas['DeviceStepName'];

/** Events of the stream come before that. */
const MOVING_MS = 5_000;

export const deploymentKey = (tenant: Pick<Tenant, 'code'>, id: string) =>
  [...deploymentsKey(tenant), 'one', id] as const;

const pathOf = (id: string) => ({ path: { deployment_id: id } });

export const isUnderWay = ({ status, watched }: Pick<Deployment, 'status' | 'watched'>): boolean =>
  isMoving(status) || watched;

export const deploymentQuery = (tenant: Tenant, id: string) =>
  queryOptions({
    queryKey: [...deploymentKey(tenant, id), 'detail'],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/deployments/{deployment_id}', { params: pathOf(id), signal })),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? MOVING_MS : false),
  });

export const listDeployedDevices = (tenant: Tenant, id: string, search: ListSearch, signal: AbortSignal) =>
  body(
    tenant.api.GET('/api/v1/deployments/{deployment_id}/devices', {
      params: { ...pathOf(id), query: listQuery(search) as never },
      signal,
    }),
  );

/** Undefined: each. */
export interface LogFilter {
  readonly step: DeviceStep | undefined;
  readonly device_id: string | undefined;
}

export const deploymentLogQuery = (tenant: Tenant, id: string, filter: LogFilter) =>
  queryOptions({
    queryKey: [...deploymentKey(tenant, id), 'log', filter],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/deployments/{deployment_id}/logs', {
          params: { ...pathOf(id), query: { ...filter } },
          signal,
        }),
      ),
  });

export type Order = 'pause' | 'resume' | 'abort' | 'retry-failed' | 'rollback';

/** Each answers with the deployment as it is then. */
export function giveOrder(tenant: Tenant, id: string, order: Order): Promise<Deployment> {
  const params = pathOf(id);
  switch (order) {
    case 'pause':
      return body(tenant.api.POST('/api/v1/deployments/{deployment_id}/pause', { params }));
    case 'resume':
      return body(tenant.api.POST('/api/v1/deployments/{deployment_id}/resume', { params }));
    case 'abort':
      return body(tenant.api.POST('/api/v1/deployments/{deployment_id}/abort', { params }));
    case 'retry-failed':
      return body(tenant.api.POST('/api/v1/deployments/{deployment_id}/retry-failed', { params }));
    case 'rollback':
      return body(tenant.api.POST('/api/v1/deployments/{deployment_id}/rollback', { params }));
  }
}
