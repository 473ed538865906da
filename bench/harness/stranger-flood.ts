import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface FloodOrder {
  readonly baseUrl: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** That the strangers come from. */
  readonly networks: number;
}

export interface FloodSeen {
  /** How many got each status; 0 is no answer in time. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answered, counted until the last of them. */
  readonly perSecond: number;
}

/** The address of the n-th stranger: one network has 250 of them, of many each has one. */
export const addressOfStranger = (networks: number, n: number): string =>
  networks === 1 ? `203.0.113.${n % 250}` : `10.${Math.floor((n % networks) / 250)}.${n % 250}.9`;

/** Floods the platform from another process. @returns once the last stranger has an answer or gave up */
export async function floodWithStrangers(order: FloodOrder): Promise<FloodSeen> {
  const file = fileURLToPath(new URL('../servers/strangers.js', import.meta.url));
  const child = fork(file, [JSON.stringify(order)], { env: { ...process.env, NODE_ENV: 'production' } });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the strangers ended with ${code} before they reported what they saw`);
  });
  const [seen] = (await Promise.race([once(child, 'message'), ended])) as [FloodSeen];
  ended.catch(() => undefined);
  return seen;
}
