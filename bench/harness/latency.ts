import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

/** @param values milliseconds, at least one */
export function latencyOf(values: readonly number[]): Latency {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] as number;
  return { p50: at(0.5), p99: at(0.99), count: sorted.length };
}

/** Over kept connections, so that none is timed with its handshake. */
export const keptAgent = (sockets: number): Agent => new Agent({ keepAlive: true, maxSockets: sockets });

/** Time from the request to the end of its answer, in milliseconds. @throws Error for any answer but 200 and 206 */
export function timeGet(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (answer: IncomingMessage) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 206
          ? resolve(performance.now() - startedAt)
          : reject(new Error(`${url}: ${answer.statusCode}`)),
      );
      answer.on('error', reject);
    }).on('error', reject);
  });
}

/** Open-loop: starts a request every 1/rate seconds, whatever became of those before it, so that waiting counts. */
export async function timeAtRate(
  rate: number,
  seconds: number,
  once: () => Promise<number>,
): Promise<number[]> {
  const startedAt = performance.now();
  const waiting: Array<Promise<number>> = [];
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = startedAt + (n * 1000) / rate;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const late = Math.max(0, performance.now() - due);
    waiting.push(once().then((ms) => ms + late));
  }
  return Promise.all(waiting);
}
