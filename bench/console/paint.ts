import type { Visit } from './visit.js';

const SLOWED = 4;

/** Runs in the page: the last candidate that Chromium names; nothing larger comes after the heading and what is below it. */
const LAST_CANDIDATE = `new Promise((resolve) => {
  let last = 0;
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) last = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => resolve(last), 2500);
})`;

/** Milliseconds from the navigation to the largest paint, with an empty cache and a processor slowed four times. */
export async function largestPaint({ baseUrl, enter }: Visit, path: string): Promise<number> {
  const { context, page } = await enter(path !== '/sign-in');
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.goto(`${baseUrl}/console${path}`, { waitUntil: 'load' });
  await page.locator('h1').first().waitFor();
  const painted = await page.evaluate<number>(LAST_CANDIDATE);
  await context.close();
  if (painted === 0) throw new Error(`nothing of ${path} was painted`);
  return painted;
}
