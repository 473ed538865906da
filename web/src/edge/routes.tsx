import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

const getParentRoute = () => tenantRoute;

export const edgeRoutes = [
  createRoute({
    getParentRoute,
    path: '/edge',
    // `register` opens the dialog: a link from elsewhere leads to it.
    validateSearch: listSearch('status', 'location', 'register'),
    component: lazyRouteComponent(() => import('./pages/fleet-page'), 'FleetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/edge/$deviceId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/device-page'), 'DevicePage'),
  }),
];
