import { useEffect } from 'react';

/** Breaks between tries; the browser's own are too short for a platform that restarts. */
const BACKOFF_MS = [1000, 2000, 5000, 10_000, 30_000];

/**
 * Follows a stream of server-sent events while the component is shown. Events are hints: the reader asks for what changed, and
 * once more when the stream ends, as it does with the session, and when it is open again, since none is repeated.
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
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source: EventSource | undefined;
    const open = () => {
      source = new EventSource(path, { withCredentials: true });
      source.onopen = () => {
        if (failures > 0) onHint(null, null);
        failures = 0;
      };
      source.onerror = () => {
        source?.close();
        if (failures === 0) onHint(null, null);
        timer = setTimeout(open, BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)]);
      };
      for (const name of wanted.split(','))
        source.addEventListener(name, (event) => onHint(dataOf(event), name));
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  }, [path, wanted, onHint]);
}

function dataOf(event: MessageEvent): unknown {
  try {
    return JSON.parse(String(event.data));
  } catch {
    return null;
  }
}
