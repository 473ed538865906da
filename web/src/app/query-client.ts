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
        // The browser's word that it is offline says nothing of a platform on this machine or in its network.
        networkMode: 'always',
        staleTime: 5_000,
        // Within three seconds a page says what is wrong; the bell's stream has it read again once the platform is back.
        retry: (failures, error) => isPassing(error) && failures < 2,
        retryDelay: (attempt) => 1000 * 2 ** attempt,
        refetchOnWindowFocus: true,
        refetchOnReconnect: true,
        throwOnError: false,
      },
      // What cannot be sent now fails; it is never kept and sent later, when nobody expects it any more.
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
