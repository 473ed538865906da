import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dragOnto } from '../../tests/browser/support/drag.js';
import { longOrShort } from '../harness/mode.js';
import type { Visit } from './visit.js';

export const FILES = longOrShort(20_000, 1_000);
const FOLDERS = 20;
const BYTES = 2_000;
const WITHIN_MS = 240_000;

export interface Sent {
  readonly filesPerS: number;
  /** The longest time in which the page could not answer anybody. */
  readonly blockedMs: number;
}

/** Runs in the page from before the drop on. */
const WATCH = `(() => {
  window.longest_block = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest_block = Math.max(window.longest_block, duration);
  }).observe({ type: 'longtask' });
})()`;

/** A folder of many small files is dropped and uploaded. They are no pictures, so that nothing is decoded meanwhile. */
export async function uploadMany({ baseUrl, enter }: Visit): Promise<Sent> {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-many-'));
  try {
    writeFiles(folder);
    const { context, page } = await enter(true);
    await page.goto(`${baseUrl}/console/t/demo/datasets/new`);
    const zone = page.getByRole('group', { name: /^Drop folders/ }).first();
    await zone.waitFor();
    await page.evaluate(WATCH);
    await dragOnto(page, zone, [folder]);
    const create = page.getByRole('button', { name: 'Create and upload' });
    await create.waitFor({ timeout: WITHIN_MS });
    const startedAt = performance.now();
    await create.click();
    await page
      .getByRole('region', { name: 'Upload' })
      .getByText('Uploaded', { exact: true })
      .waitFor({ timeout: WITHIN_MS });
    const seconds = (performance.now() - startedAt) / 1000;
    const blockedMs = await page.evaluate<number>('window.longest_block');
    await context.close();
    return { filesPerS: FILES / seconds, blockedMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFiles(folder: string): void {
  for (let part = 0; part < FOLDERS; part += 1) {
    mkdirSync(join(folder, 'files', String(part)), { recursive: true });
    for (let number = 0; number < FILES / FOLDERS; number += 1)
      writeFileSync(
        join(folder, 'files', String(part), `${number}.txt`),
        `${part} ${number} `.padEnd(BYTES, 'a note '),
      );
  }
}
