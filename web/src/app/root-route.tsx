import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSessionEnd } from '../api/errors';
import { rememberTenant } from './preferences';
import { meQuery, tenantsQuery } from './session';

interface RouterContext {
  readonly queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Outlet });

/** Pages for people who are signed in; others are led to the sign-in page and come back afterwards. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  // Not part of the first page: whoever signs in has not seen it yet.
  component: lazyRouteComponent(() => import('./shell'), 'Shell'),
  beforeLoad: async ({ context, location }) => {
    try {
      await Promise.all([
        context.queryClient.ensureQueryData(meQuery),
        context.queryClient.ensureQueryData(tenantsQuery),
      ]);
    } catch (error) {
      if (!isSessionEnd(error)) throw error;
      // What was made on the page is found again after the sign-in.
      const { draft } = location.state;
      throw redirect({ to: '/sign-in', search: { next: location.href }, state: { draft } });
    }
  },
});

/** Pages of one tenant, whose code stands in the address. */
export const tenantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/t/$tenant',
  component: Outlet,
  beforeLoad: ({ params, preload }) => {
    // A pointer over a link opens nothing.
    if (!preload) rememberTenant(params.tenant);
  },
});
