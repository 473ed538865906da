import { queryOptions } from '@tanstack/react-query';
import { api, body, type Schemas } from '../api/client';
import { isMoving } from '../shared/state-chip';

export type Role = Schemas['RoleName'];
export type User = Schemas['SystemUserOut'];
export type TenantSettings = Schemas['TenantOut'];
export type Deletion = Schemas['DeletionOut'];
export type AuditEntry = Schemas['AuditEntryOut'];

/** What belongs to the whole installation; no key holds a tenant. */
export const featuresQuery = queryOptions({
  queryKey: ['admin', 'features'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/settings/features', { signal })),
  staleTime: 300_000,
});

export const deletionsQuery = queryOptions({
  queryKey: ['admin', 'deletions'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/settings/tenants/deletions', { signal })),
});

export const deletionQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'deletions', id],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/settings/tenants/deletions/{deletion_id}', {
          params: { path: { deletion_id: id } },
          signal,
        }),
      ),
    // Its stream reports each step; this is for the time in which the stream is away.
    refetchInterval: ({ state }) => (isMoving(state.data?.status) ? 3_000 : false),
  });

export const previewQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['admin', 'tenants', tenantId, 'preview'],
    queryFn: ({ signal }) =>
      body(
        api.GET('/api/v1/settings/tenants/{tenant_id}/deletion-preview', {
          params: { path: { tenant_id: tenantId } },
          signal,
        }),
      ),
  });

export const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/system/health', { signal })),
  refetchInterval: 10_000,
});

export const auditActionsQuery = (tenant: string | undefined) =>
  queryOptions({
    queryKey: ['admin', 'audit', 'actions', tenant],
    queryFn: ({ signal }) =>
      body(api.GET('/api/v1/system/audit/actions', { params: { query: { tenant } }, signal })),
    staleTime: 60_000,
  });
