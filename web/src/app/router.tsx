import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/errors';
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
    // Another thing of the same kind has nothing of what was typed, chosen or asked about the one before. Tabs are in the search.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingComponent: Loading,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: Failure,
    scrollRestoration: true,
  });

const AGAIN_MS = 5000;
/** No answer, and a platform that is busy or starts again. */
const PASSING: readonly number[] = [0, 503];

/**
 * What a page needs before it opens could not be had: a retry asks for all of it again, and so does the page by itself
 * where the cause passes.
 */
function Failure({ error }: ErrorComponentProps) {
  const router = useRouter();
  const passes = error instanceof ApiError && PASSING.includes(error.status);
  useEffect(() => {
    if (!passes) return;
    const timer = setInterval(() => void router.invalidate(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [router, passes]);
  return <ErrorCard error={error} onRetry={() => void router.invalidate()} />;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
