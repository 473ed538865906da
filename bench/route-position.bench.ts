import { startChildServer } from './harness/child-server.js';
import { measureLoad } from './harness/load.js';
import { comparePairs } from './harness/pairs.js';
import { atLeast, type BenchResult } from './harness/results.js';

const PAIRS = 7;
const SECONDS = 4;
const ROUTES = 300;

/** The last of 300 routes against the first, in requests per CPU-second: no route may pay for those before it. */
export async function routePosition(): Promise<BenchResult> {
  const server = await startChildServer('many-routes', [String(ROUTES)]);
  try {
    const url = (index: number) => `${server.baseUrl}/api/v1/area-${index}/0b5c1f0e/parts`;
    for (const index of [0, ROUTES - 1]) await expectAnswer(url(index), index);
    const load = (index: number) => () =>
      measureLoad({ url: url(index), headers: {}, connections: 32, seconds: SECONDS, servers: [server.pid] });
    await load(0)();
    const result = await comparePairs(PAIRS, load(ROUTES - 1), load(0));
    for (const index of [0, ROUTES - 1]) await expectAnswer(url(index), index);
    return {
      figures: { ...result, routes: ROUTES, seconds: SECONDS },
      goals: [atLeast('requests per CPU-second, last route / first', result.ratio.median, 0.95)],
    };
  } finally {
    await server.stop();
  }
}

async function expectAnswer(url: string, index: number): Promise<void> {
  const answer = (await (await fetch(url)).json()) as { route: number };
  if (answer.route !== index) throw new Error(`${url} was answered by route ${answer.route}`);
}
