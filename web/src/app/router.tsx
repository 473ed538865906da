import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorCard } from '../shared/error-card';
import { Loading } from '../shared/loading';
import { NotFoundPage } from './not-found';
import { routeTree } from './route-tree';

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/console',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: Failure,
    scrollRestoration: true,
  });

/** What a page needs before it opens could not be had: a retry asks for all of it again. */
function Failure({ error }: ErrorComponentProps) {
  const router = useRouter();
  return <ErrorCard error={error} onRetry={() => void router.invalidate()} />;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
