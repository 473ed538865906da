import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isPassing, isSessionEnd } from '../api/errors';

/** @param onSessionEnd called when the platform no longer knows the caller */
export function makeQueryClient(onSessionEnd: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSessionEnd(error)) onSessionEnd();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => isPassing(error) && failures < 5,
        retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8000),
        refetchOnWindowFocus: true,
        throwOnError: false,
      },
      mutations: { retry: false },
    },
  });
}
