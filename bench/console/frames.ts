import type { Page } from 'playwright-core';
import type { Visit } from './visit.js';
import { METRICS } from './curves.js';

const SECONDS = 3;
const STEP_MS = 8;

/** Counts the frames that the page draws from now on. */
export const COUNT = `(() => {
  window.frames_drawn = 0;
  const next = () => { window.frames_drawn += 1; requestAnimationFrame(next); };
  requestAnimationFrame(next);
})()`;

/** Frames a second of the page that compares the runs, while the pointer wanders over a chart and all crosshairs follow. */
export async function framesUnderThePointer(
  { baseUrl, enter }: Visit,
  runs: readonly string[],
): Promise<number> {
  const { context, page } = await enter(true);
  // So high that all charts are in sight: one that is not is not drawn.
  await page.setViewportSize({ width: 1280, height: 1500 });
  await page.goto(`${baseUrl}/console/t/demo/training/compare?runs=${runs.join()}`);
  const chart = page.locator('.u-over').first();
  await chart.waitFor();
  // All curves are there before the pointer moves; the stream of notifications stays open, so the network is never idle.
  await page
    .locator('.u-over')
    .nth(METRICS - 1)
    .waitFor();
  await page.waitForTimeout(2000);
  const box = await chart.boundingBox();
  if (box === null) throw new Error('the chart is not shown');
  await page.evaluate(COUNT);
  const startedAt = performance.now();
  const before = await page.evaluate<number>('window.frames_drawn');
  await wander(page, box, startedAt);
  const drawn = (await page.evaluate<number>('window.frames_drawn')) - before;
  const seconds = (performance.now() - startedAt) / 1000;
  await context.close();
  return drawn / seconds;
}

async function wander(
  page: Page,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  startedAt: number,
): Promise<void> {
  for (let at = 0; performance.now() - startedAt < SECONDS * 1000; at += 1) {
    const share = (1 + Math.sin(at / 25)) / 2;
    await page.mouse.move(box.x + share * (box.width - 2) + 1, box.y + box.height / 2);
    await page.waitForTimeout(STEP_MS);
  }
}
