import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tabs';

const getParentRoute = () => tenantRoute;

export const modelRoutes = [
  createRoute({
    getParentRoute,
    path: '/models',
    validateSearch: listSearch('production', 'stage'),
    component: lazyRouteComponent(() => import('./pages/models-page'), 'ModelsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/$name',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/model-page'), 'ModelPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/$name/compare',
    validateSearch: (given: Record<string, unknown>): Record<string, string | undefined> =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    component: lazyRouteComponent(() => import('./pages/compare-versions-page'), 'CompareVersionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/$name/$version',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/version-page'), 'VersionPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/promotions',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./pages/promotions-page'), 'PromotionsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/promotions/$promotionId',
    component: lazyRouteComponent(() => import('./pages/promotion-page'), 'PromotionPage'),
  }),
];
