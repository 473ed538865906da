import { ErrorCard } from './error-card';
import { Loading } from './loading';

interface Read {
  readonly data: unknown;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}

/**
 * How a query stands: grey lines before its first answer, the card where it failed, nothing where all is well. What was read
 * before a failure stays on the page below the card, with all that somebody typed there.
 */
export function Reading({ query, lines }: { query: Read; lines?: number }) {
  if (query.error !== null) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  return query.data === undefined ? <Loading lines={lines} /> : null;
}
