import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * When an API was done with a request, by the clock that all machines share here.
 * @param log the API's file @param answer to the request
 */
export async function loggedAt(log: string, answer: { readonly headers: Headers }): Promise<number> {
  const id = answer.headers.get('x-request-id');
  // Lines are written in blocks.
  for (let left = 100; left > 0; left -= 1, await sleep(100)) {
    const lines = readFileSync(log, 'utf8').split('\n');
    const line = lines.find((text) => text.includes(`"request_id":"${id}"`));
    if (line !== undefined) return Date.parse((JSON.parse(line) as { time: string }).time);
  }
  throw new Error(`${log} has nothing of the request ${id}`);
}
