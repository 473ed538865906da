import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';
import { compareSearch } from './compare/run-list';

const getParentRoute = () => tenantRoute;

export const trainingRoutes = [
  createRoute({
    getParentRoute,
    path: '/training',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./pages/trainings-page'), 'TrainingsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/training/new',
    validateSearch: (given: Record<string, unknown>): Record<string, string | undefined> =>
      Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
    component: lazyRouteComponent(() => import('./pages/wizard-page'), 'WizardPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/training/compare',
    validateSearch: compareSearch,
    component: lazyRouteComponent(() => import('./pages/compare-page'), 'ComparePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/training/$experimentId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/training-page'), 'TrainingPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/experiments',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./pages/experiments-page'), 'ExperimentsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs/$runId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/run-page'), 'RunPage'),
  }),
];
