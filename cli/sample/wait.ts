import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again until the answer is there.
 * @param look answers undefined as long as it is to be asked again
 * @throws Error naming what did not happen in time
 */
export async function waitFor<T>(
  what: string,
  timeoutMs: number,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline)
      throw new Error(`${what} did not happen within ${Math.round(timeoutMs / 1000)} s`);
    await sleep(500, undefined, { signal });
  }
}
