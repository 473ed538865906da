import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

interface NewSearch {
  readonly model?: string;
  readonly version?: string;
  readonly image?: string;
}

/** What is to be served: a version of a model, or an image. */
const newSearch = (given: Record<string, unknown>): NewSearch => ({
  model: wordOf(given.model),
  version: wordOf(given.version),
  image: wordOf(given.image),
});

/** The router reads a word of digits as a number. */
const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

const getParentRoute = () => tenantRoute;

export const servingRoutes = [
  createRoute({
    getParentRoute,
    path: '/serving',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./pages/endpoints-page'), 'EndpointsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/serving/new',
    validateSearch: newSearch,
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
