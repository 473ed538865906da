import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute, signedInRoute } from '../app/root-route';
import { listSearch } from '../shared/list/column';
import { tabSearch } from '../shared/tab-search';

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const tokenSearch = (given: Record<string, unknown>): { token?: string } => ({ token: word(given.token) });

/** Pages that need no session. */
export const publicRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: (given: Record<string, unknown>): { next?: string } => ({ next: word(given.next) }),
    component: lazyRouteComponent(() => import('./pages/sign-in-page'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./pages/forgot-password-page'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset-password',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./pages/reset-password-page'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/register',
    component: lazyRouteComponent(() => import('./pages/register-page'), 'RegisterPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/verify',
    validateSearch: tokenSearch,
    component: lazyRouteComponent(() => import('./pages/verify-page'), 'VerifyPage'),
  }),
];

/** The caller's own pages, which belong to no tenant. */
export const accountRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account',
    validateSearch: tabSearch,
    component: lazyRouteComponent(() => import('./pages/account-page'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/notifications',
    validateSearch: listSearch('unread', 'tenant'),
    component: lazyRouteComponent(() => import('./pages/notifications-page'), 'NotificationsPage'),
  }),
];
