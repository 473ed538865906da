import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tabs';

const getParentRoute = () => tenantRoute;

export const servingRoutes = [
  createRoute({
    getParentRoute,
    path: '/serving',
    component: lazyRouteComponent(() => import('./pages/endpoints-page'), 'EndpointsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/serving/new',
    validateSearch: (given: Record<string, unknown>): Record<string, string | undefined> =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    component: lazyRouteComponent(() => import('./pages/new-endpoint-page'), 'NewEndpointPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/serving/$endpoint',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/endpoint-page'), 'EndpointPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/images',
    validateSearch: listSearch('status', 'model'),
    component: lazyRouteComponent(() => import('./pages/images-page'), 'ImagesPage'),
  }),
];
