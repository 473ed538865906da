import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tenantRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

const getParentRoute = () => tenantRoute;

export const adminRoutes = [
  createRoute({
    getParentRoute,
    path: '/admin',
    component: lazyRouteComponent(() => import('./pages/admin-page'), 'AdminPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/members',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./pages/members-page'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/audit',
    validateSearch: listSearch('action', 'actor', 'target', 'since', 'until', 'after', 'scope'),
    component: lazyRouteComponent(() => import('./pages/audit-page'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/health',
    component: lazyRouteComponent(() => import('./pages/health-page'), 'HealthPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/tenants',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/tenants-page'), 'TenantsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/users',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./pages/users-page'), 'UsersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/tenants/$tenantId/deletion',
    component: lazyRouteComponent(() => import('./pages/deletion-preview-page'), 'DeletionPreviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/deletions/$deletionId',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/deletion-page'), 'DeletionPage'),
  }),
];
