import type { Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { longOrShort } from '../harness/mode.js';
import { COUNT } from './frames.js';
import type { Visit } from './visit.js';

export const PICTURES = longOrShort(100_000, 5_000);
const SECONDS = 3;
const STEP_PX = 900;

export interface Wall {
  /** From the navigation until the first row of pictures is seen. */
  readonly shownMs: number;
  /** While the wall is scrolled. */
  readonly frames: number;
  /** Pictures in the page at the end: the others must not be there. */
  readonly inPage: number;
}

const SEEN = `new Promise((resolve) => {
  const look = () => [...document.querySelectorAll('li img')].filter((one) => one.complete && one.naturalWidth > 0).length >= 4
    ? resolve(performance.now()) : requestAnimationFrame(look);
  look();
})`;

/** The wall of a dataset of many pictures: until it is seen, and frames a second while somebody scrolls fast. */
export async function scrollWall({ baseUrl, enter }: Visit, dataset: string): Promise<Wall> {
  const preview = await sharp({ create: { width: 256, height: 192, channels: 3, background: '#6a8' } })
    .webp()
    .toBuffer();
  const { context, page } = await enter(true);
  await page.route(/\/content\?.*variant=preview/, (route: Route) =>
    route.fulfill({ body: preview, headers: { 'content-type': 'image/webp' } }),
  );
  await page.goto(`${baseUrl}/console/t/demo/datasets/${dataset}`);
  const shownMs = await page.evaluate<number>(SEEN);
  const frames = await framesWhileScrolling(page);
  const inPage = await page.locator('li img').count();
  await context.close();
  return { shownMs, frames, inPage };
}

async function framesWhileScrolling(page: Page): Promise<number> {
  await page.mouse.move(600, 500);
  await page.evaluate(COUNT);
  const startedAt = performance.now();
  const before = await page.evaluate<number>('window.frames_drawn');
  while (performance.now() - startedAt < SECONDS * 1000) await page.mouse.wheel(0, STEP_PX);
  const drawn = (await page.evaluate<number>('window.frames_drawn')) - before;
  return drawn / ((performance.now() - startedAt) / 1000);
}
