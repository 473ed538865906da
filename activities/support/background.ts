import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/logging/logger.js';

/** Something that runs as long as the worker does. */
export interface BackgroundLoop {
  readonly name: string;
  /** Returns once `signal` is aborted. When it throws it is started again with back-off. */
  run(signal: AbortSignal): Promise<void>;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A loop that ran this long before it failed starts again without an inherited delay. */
const HEALTHY_MS = 60_000;

/** Keeps a loop running until aborted; its failures never end the process. */
export async function superviseLoop(
  loop: BackgroundLoop,
  signal: AbortSignal,
  logger: Logger,
): Promise<void> {
  let delayMs = FIRST_DELAY_MS;
  while (!signal.aborted) {
    const startedAt = Date.now();
    try {
      await loop.run(signal);
    } catch (error) {
      if (!signal.aborted)
        logger.error({ err: error, loop: loop.name }, 'background loop failed, will start again');
    }
    if (signal.aborted) return;
    delayMs = Date.now() - startedAt > HEALTHY_MS ? FIRST_DELAY_MS : Math.min(delayMs * 2, MAX_DELAY_MS);
    await pause(delayMs, signal);
  }
}

/** Waits, or returns at once when aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
