import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

/** The two versions and whether equal lines are shown too. */
interface CompareSearch {
  readonly from?: number;
  readonly to?: number;
  readonly all?: boolean;
}

const compareSearch = (given: Record<string, unknown>): CompareSearch => ({
  from: versionOf(given.from),
  to: versionOf(given.to),
  all: given.all === true ? true : undefined,
});

const versionOf = (word: unknown): number | undefined =>
  Number.isInteger(Number(word)) && Number(word) > 0 ? Number(word) : undefined;

const getParentRoute = () => tenantRoute;

export const modelRoutes = [
  createRoute({
    getParentRoute,
    path: '/models',
    validateSearch: listSearch('production', 'stage', 'dataset_digest'),
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
    validateSearch: compareSearch,
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
