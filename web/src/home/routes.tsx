import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { lastTenant } from '../app/preferences';
import { signedInRoute, tenantRoute } from '../app/root-route';
import { tenantsQuery } from '../app/session';

export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./no-tenant-page'), 'NoTenantPage'),
  beforeLoad: async ({ context }) => {
    const { items } = await context.queryClient.ensureQueryData(tenantsQuery);
    const last = lastTenant();
    const tenant = items.find((entry) => entry.code === last) ?? items[0];
    if (tenant) throw redirect({ to: '/t/$tenant', params: { tenant: tenant.code } });
  },
});

export const homeRoutes = [
  createRoute({
    getParentRoute: () => tenantRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./home-page'), 'HomePage'),
  }),
];
