import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './store-errors.js';

const TRIES = 4;
const BASE_MS = 100;
const DEADLINE_MS = 60_000;

/** Repeats what can be repeated, with full jitter: 0-100, 0-200, 0-400 ms. */
export async function withRetry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES || signal?.aborted || !isTransient(error)) throw error;
      await sleep(Math.random() * BASE_MS * 2 ** (attempt - 1), undefined, signal ? { signal } : {});
    }
  }
}

/** Gives up waiting for a call that has no deadline of its own. */
export async function withDeadline<T>(work: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  const timer = new AbortController();
  const late = sleep(deadlineMs, undefined, { signal: timer.signal }).then(
    () => {
      throw new DOMException(`no answer within ${deadlineMs} ms`, 'TimeoutError');
    },
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
