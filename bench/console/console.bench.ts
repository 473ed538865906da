import type { Browser } from 'playwright-core';
import { PlatformClient } from '../../tests/setup/platform-client.js';
import { ADMIN, newDataDir, type PlatformFacts, removeDataDir, startPlatform } from '../harness/platform.js';
import { longOrShort } from '../harness/mode.js';
import { seedPictures } from '../datasets/seeded-pictures.js';
import { atLeast, atMost, type BenchResult } from '../harness/results.js';
import { spreadOf } from '../harness/statistics.js';
import { CURVES, logCurves, POINTS } from './curves.js';
import { framesUnderThePointer } from './frames.js';
import { enterConsole, launchChromium } from './chromium.js';
import { FILES, uploadMany } from './many-files.js';
import { PICTURES, scrollWall, type Wall } from './many-pictures.js';
import { largestPaint } from './paint.js';
import type { Visit } from './visit.js';

const ROUNDS = longOrShort(7, 2);

/** What people wait for in the console: the first picture on a slow processor, a hundred curves under the pointer, many pictures, many files. */
export async function consoleTimes(): Promise<BenchResult> {
  const dataDir = newDataDir();
  const browser = await launchChromium();
  try {
    const platform = await startPlatform(dataDir, { sample: true });
    try {
      return await measured(browser, dataDir, platform.facts);
    } finally {
      await platform.stop();
    }
  } finally {
    await browser.close();
    removeDataDir(dataDir);
  }
}

async function measured(browser: Browser, dataDir: string, facts: PlatformFacts): Promise<BenchResult> {
  const baseUrl = facts.base_url;
  const client = await PlatformClient.signIn(baseUrl, ADMIN.email, ADMIN.password, 'demo');
  const visit: Visit = {
    browser,
    baseUrl,
    enter: (isSignedIn) => enterConsole(browser, baseUrl, isSignedIn),
  };
  const runs = await logCurves(client);
  const signIn = await spread(() => largestPaint(visit, '/sign-in'));
  const datasets = await spread(() => largestPaint(visit, '/t/demo/datasets'));
  const frames = await spread(() => framesUnderThePointer(visit, runs));
  const json = { id: 'wall', name: 'Wall' };
  await client.expect(201, 'POST', '/api/v1/datasets', { json });
  await seedPictures({ dataDir, facts }, json.id, PICTURES);
  const walls = await repeated(() => scrollWall(visit, json.id));
  const of = (key: keyof Wall) => spreadOf(walls.map((wall) => wall[key]));
  const sent = await uploadMany(visit);
  return {
    figures: {
      sign_in_largest_paint_ms: signIn,
      datasets_largest_paint_ms: datasets,
      cpu_slowed: 4,
      ...{ curves: CURVES, points_of_a_curve: POINTS, frames_per_second: frames },
      ...{ pictures: PICTURES, wall_shown_ms: of('shownMs'), wall_frames_per_second: of('frames') },
      wall_pictures_in_page: of('inPage'),
      ...{ files_sent: FILES, files_per_second: sent.filesPerS, upload_longest_block_ms: sent.blockedMs },
      rounds: ROUNDS,
    },
    goals: [
      atMost('largest paint of the sign-in page, processor slowed 4 times, ms', signIn.median, 1500),
      atMost('largest paint of the datasets, processor slowed 4 times, ms', datasets.median, 1500),
      atLeast(`frames a second while the crosshair moves over ${CURVES} curves`, frames.median, 50),
      atMost(`the wall of ${PICTURES} pictures until its first are seen, ms`, of('shownMs').median, 1500),
      atLeast('frames a second while it is scrolled', of('frames').median, 50),
      atMost(`the longest block of the page while ${FILES} files are uploaded, ms`, sent.blockedMs, 200),
    ],
  };
}

async function repeated<T>(measure: () => Promise<T>): Promise<T[]> {
  const values: T[] = [];
  for (let round = 0; round < ROUNDS; round += 1) values.push(await measure());
  return values;
}

const spread = async (measure: () => Promise<number>) => spreadOf(await repeated(measure));
