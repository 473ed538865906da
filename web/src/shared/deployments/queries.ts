import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import { type ListSearch, listQuery } from '../list/column';
import { isMoving } from '../state-chip';

export type Deployment = Schemas['DeploymentOut'];

const MOVING_MS = 3_000;
const RESTING_MS = 15_000;

export const deploymentsKey = (tenant: Pick<Tenant, 'code'>) => [tenant.code, 'deployments'] as const;

export const listDeployments = (tenant: Tenant, search: ListSearch, signal: AbortSignal) =>
  body(tenant.api.GET('/api/v1/deployments', { params: { query: listQuery(search) as never }, signal }));

/** The latest deployments of a device, of a model or of one of its versions. */
export const latestDeploymentsQuery = (
  tenant: Tenant,
  of: { readonly device: string } | { readonly model: string; readonly version?: number },
  most: number,
) =>
  queryOptions({
    queryKey: [...deploymentsKey(tenant), 'latest', of, most],
    queryFn: ({ signal }) =>
      body(tenant.api.GET('/api/v1/deployments', { params: { query: { ...of, page_size: most } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => isMoving(status)) ? MOVING_MS : RESTING_MS,
  });
