import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';
import type { DraftSearch } from './deployments/create/draft';

/** What is deployed to what; ids of several devices are parted by commas. */
const newSearch = (given: Record<string, unknown>): DraftSearch =>
  Object.fromEntries(
    (['model', 'version', 'device', 'ids'] as const).flatMap((name) =>
      given[name] === undefined ? [] : [[name, String(given[name])]],
    ),
  );

const getParentRoute = () => tenantRoute;

export const edgeRoutes = [
  createRoute({
    getParentRoute,
    path: '/edge',
    // `register` opens the dialog: a link from elsewhere leads to it.
    validateSearch: listSearch('status', 'location', 'runs', 'dataset_digest', 'register'),
    component: lazyRouteComponent(() => import('./pages/fleet-page'), 'FleetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/edge/$deviceId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/device-page'), 'DevicePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/deployments',
    validateSearch: listSearch('status', 'model', 'device'),
    component: lazyRouteComponent(() => import('./pages/deployments-page'), 'DeploymentsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/deployments/new',
    validateSearch: newSearch,
    component: lazyRouteComponent(() => import('./pages/new-deployment-page'), 'NewDeploymentPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/deployments/$deploymentId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/deployment-page'), 'DeploymentPage'),
  }),
];
