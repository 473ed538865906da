import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

const getParentRoute = () => tenantRoute;

export const datasetRoutes = [
  createRoute({
    getParentRoute,
    path: '/datasets',
    validateSearch: listSearch('status', 'source', 'digest'),
    component: lazyRouteComponent(() => import('./pages/datasets-page'), 'DatasetsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/datasets/new',
    component: lazyRouteComponent(() => import('./pages/new-dataset-page'), 'NewDatasetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/datasets/$datasetId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/dataset-page'), 'DatasetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sources',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./pages/sources-page'), 'SourcesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sources/$sourceId',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./pages/source-page'), 'SourcePage'),
  }),
];
