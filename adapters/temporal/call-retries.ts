import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

/** The library's own limit is ten seconds, for which a close would have to wait. */
const MAX_DELAY_MS = 1000;

export interface CallRetries {
  readonly interceptors: NonNullable<ConnectionOptions['interceptors']>;
  /** From now on nothing is tried again; answers when the tries that were under way have begun, so that the connection may be closed. */
  settle(): Promise<void>;
}

/**
 * The library's repetition of failed calls, made to end: by itself a try that waits for its time begins on a channel that
 * was closed meanwhile, and throws where nobody can catch it.
 */
export function callRetries(): CallRetries {
  const { retryableDecider, delayFunction } = defaultGrpcRetryOptions();
  let isClosing = false;
  let lastTryAt = 0;
  const interceptor = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !isClosing && retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      const delayMs = Math.min(delayFunction(attempt, status), MAX_DELAY_MS);
      lastTryAt = Math.max(lastTryAt, Date.now() + delayMs);
      return delayMs;
    },
  });
  return {
    interceptors: [interceptor],
    settle: async () => {
      isClosing = true;
      const waitMs = lastTryAt - Date.now();
      // The timers of the library were set before this one: a little later all of them have fired.
      if (waitMs > -SLACK_MS) await sleep(waitMs + SLACK_MS);
    },
  };
}

const SLACK_MS = 25;
