import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Permission, type Role, roleGrants } from '../../../models/access/permission.rules.ts';
import { type Api, api, apiOf, body } from '../api/client';
import { text } from '../text';

export type { Permission };

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => body(api.GET('/users/me', { signal })),
  staleTime: 60_000,
});

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/tenants', { signal })),
  staleTime: 60_000,
});

export interface Tenant {
  readonly code: string;
  readonly api: Api;
  /** Null while it loads and for global administrators without a role of their own. */
  readonly role: Role | null;
}

/** The tenant of the page's address. @throws Error outside pages of a tenant */
export function useTenant(): Tenant {
  const { tenant } = useParams({ strict: false });
  if (tenant === undefined) throw new Error('useTenant stands on a page that belongs to no tenant');
  const { data } = useQuery(tenantsQuery);
  const role = data?.items.find((entry) => entry.code === tenant)?.role ?? null;
  return { code: tenant, api: apiOf(tenant), role: role as Role | null };
}

export const useMe = () => useSuspenseQuery(meQuery).data;

/** What the caller may do in a tenant; everything as long as nobody knows. */
export interface Rights {
  readonly isAdministrator: boolean;
  readonly may: (permission: Permission) => boolean;
}

/** @param code null: on pages of no tenant */
export function useRights(code: string | null): Rights {
  const { data: me } = useQuery(meQuery);
  const { data: tenants } = useQuery(tenantsQuery);
  const role = (tenants?.items.find((tenant) => tenant.code === code)?.role ?? null) as Role | null;
  const isAdministrator = me === undefined || me.is_superuser;
  return {
    isAdministrator,
    may: (permission) => isAdministrator || (role !== null && roleGrants(role, permission)),
  };
}

/**
 * @param permission or permissions of which any is enough
 * @returns null when the caller may, else the sentence that says which permission is missing
 */
export function useMissing(permission: Permission | readonly Permission[]): string | null {
  const { code, role } = useTenant();
  const { may } = useRights(code);
  const enough = [permission].flat() as readonly Permission[];
  if (enough.some(may)) return null;
  return text.frame.missing(role, enough);
}
