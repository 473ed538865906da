import { setTimeout as sleep } from 'node:timers/promises';

/** How long a request waits for durable work that is usually done in a moment. */
const WITHIN_MS = 5000;
const POLL_MS = 100;

/**
 * Reads a row again and again until it is as wanted.
 * @param more.gone when the client leaves, the work goes on without anybody waiting
 * @returns the row as it was read last: not as wanted when the time is over
 */
export async function pollRow<T>(
  read: () => Promise<T>,
  isAsWanted: (row: T) => boolean,
  more: { readonly gone?: AbortSignal; readonly withinMs?: number } = {},
): Promise<T> {
  for (const deadline = Date.now() + (more.withinMs ?? WITHIN_MS); ; await sleep(POLL_MS)) {
    const row = await read();
    if (isAsWanted(row) || more.gone?.aborted || Date.now() >= deadline) return row;
  }
}
