import type { Route } from 'playwright-core';
import type { PlatformClient } from '../../tests/setup/platform-client.js';
import { longOrShort } from '../harness/mode.js';
import type { Visit } from './visit.js';

export const LINES = longOrShort(300_000, 30_000);
const LAST = `Epoch ${LINES}/${LINES}`;

const text = Buffer.from(
  Array.from(
    { length: LINES },
    (_, at) => `2026-01-01 00:00:00 INFO Epoch ${at + 1}/${LINES}  train loss 0.0421 accuracy 0.9871\n`,
  ).join(''),
);

/** Stands for the stored log of a training that has printed so much. */
async function answerLog(route: Route): Promise<void> {
  const range = /bytes=-(\d+)/.exec(route.request().headers().range ?? '')?.[1];
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  if (range === undefined) return route.fulfill({ headers, body: text });
  const from = Math.max(0, text.length - Number(range));
  const span = `bytes ${from}-${text.length - 1}/${text.length}`;
  await route.fulfill({
    ...{ status: 206, body: text.subarray(from) },
    headers: { ...headers, 'content-range': span },
  });
}

/** Runs in the page: from the click on the tab until the last line can be read. */
const UNTIL_THE_END = `new Promise((resolve) => {
  const startedAt = performance.now();
  [...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent === 'Log').click();
  const look = () => document.querySelector('[role="log"]')?.textContent.includes('${LAST}')
    ? requestAnimationFrame(() => resolve(performance.now() - startedAt))
    : requestAnimationFrame(look);
  look();
})`;

/** Milliseconds from the click on the tab of the log until its last line is there. */
export async function openLog({ baseUrl, enter }: Visit, client: PlatformClient): Promise<number> {
  const { body } = await client.expect(200, 'GET', '/api/v1/training/experiments?q=digits-sample');
  const { context, page } = await enter(true);
  await page.route(/\/artifact\?.*logs|\/experiments\/[^/]+\/log(\?|$)/, answerLog);
  await page.goto(`${baseUrl}/console/t/demo/training/${body.items[0].id}`);
  await page.getByRole('tab', { name: 'Log' }).waitFor();
  await page.waitForTimeout(1000);
  const took = await page.evaluate<number>(UNTIL_THE_END);
  await context.close();
  return took;
}
