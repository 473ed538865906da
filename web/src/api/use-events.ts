import { useEffect } from 'react';
import { EventStream } from './event-stream';

/**
 * Follows a stream of server-sent events while the component is shown.
 * @param path null: no stream
 * @param names of the events
 * @param onHint gets null and null where anything may have changed; must keep its identity between renders
 */
export function useEvents(
  path: string | null,
  names: readonly string[],
  onHint: (data: unknown, event: string | null) => void,
): void {
  const wanted = names.join();
  useEffect(() => {
    if (path === null) return;
    const stream = new EventStream(path, wanted.split(','), onHint);
    return () => stream.end();
  }, [path, wanted, onHint]);
}
