import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { ADMIN } from '../setup/supervised-platform.js';
import { dragOnto } from './support/drag.js';
import { SentChunks } from './support/sent-chunks.js';
import { administrator } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(180_000);

const NAME = 'noise';
const FILES = 16;
const SIDE = 1200;
/** More than 24 MiB, which is four chunks. */
const LARGE = 'wall';
const LARGE_SIDE = 3000;
/** Each request of an upload that is to be cut off. */
const SLOW_MS = 1500;
const WORK = { timeout: 120_000 };

let browser: Browser;
let root: string;

beforeAll(async () => {
  browser = await launchChromium();
  root = mkdtempSync(join(tmpdir(), 'visionops-uploads-'));
});
afterAll(async () => {
  await browser?.close();
  rmSync(root, { recursive: true, force: true });
});

/** A folder with pictures of noise, which nothing makes smaller: some three bytes for each of their points. */
async function noise(name: string, files: number, side: number): Promise<string> {
  const folder = join(root, name, 'grey');
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < files; number += 1) {
    const raw = { width: side, height: side, channels: 3 as const };
    const png = await sharp(randomBytes(side * side * 3), { raw })
      .png({ compressionLevel: 0 })
      .toBuffer();
    writeFileSync(join(folder, `${number}.png`), png);
  }
  return join(root, name);
}

const zoneOf = (page: Page) => page.getByRole('group', { name: /^Drop folders/ }).first();

const rootOf = (page: Page) => page.getByLabel(/^Paths begin with the folder/).first();

/** Drops a folder on the page of a new dataset and begins its upload. */
async function begin(
  { page }: Visitor,
  folder: string,
  files: string,
  { keepsRoot = false } = {},
): Promise<void> {
  await dragOnto(page, zoneOf(page), [folder]);
  await page
    .getByText(new RegExp(`^${files}`))
    .first()
    .waitFor();
  if (keepsRoot) await rootOf(page).check();
  await page.getByRole('button', { name: 'Create and upload' }).click();
}

async function reload({ page }: Visitor): Promise<void> {
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText(/An upload was interrupted/).waitFor();
}

/** @param place where the folder is dropped: all of the page takes it */
async function goOn(visitor: Visitor, folder: string, place = zoneOf(visitor.page)): Promise<void> {
  const { page } = visitor;
  await visitor.settled();
  await dragOnto(page, place, [folder]);
  await page.getByRole('button', { name: 'Upload', exact: true }).first().click();
}

it('goes on with an upload that a reload cut off, and sends nothing twice', async () => {
  const folder = await noise(NAME, FILES, SIDE);
  const visitor = await Visitor.enter(browser, { as: ADMIN });
  const { page, faults } = visitor;
  await visitor.goto('/t/demo/datasets/new');
  // It must not be through before the other tab is open and the page is loaded again.
  await page.route(/\/datasets\/noise\//, async (route) => {
    if (route.request().method() !== 'GET') await sleep(SLOW_MS);
    await route.fallback();
  });
  await begin(visitor, folder, `${FILES} files`, { keepsRoot: true });
  const panel = page.getByRole('region', { name: 'Upload' });
  await panel.getByText(/^[1-9]\d* of \d+ files/).waitFor(WORK);
  await page.getByRole('link', { name: /^Upload into noise: \d+ %$/ }).waitFor();
  const other = await visitor.openTab();
  await other.goto(`${visitor.base}/console/t/demo/datasets/noise`);
  await other.getByText(/^Another tab of this browser uploads into this dataset: \d+ of 16 files/).waitFor();
  expect(await other.getByText(/An upload was interrupted/).count()).toBe(0);
  await reload(visitor);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await other.getByText(/An upload was interrupted/).waitFor();
  await other.close();
  await goOn(visitor, folder);
  await page
    .getByText(/there already/)
    .first()
    .waitFor(WORK);
  await page.locator('[data-state="FROZEN"]').first().waitFor(WORK);
  const files = await (await administrator()).expect(200, 'GET', '/api/v1/datasets/noise/files?page_size=1');
  expect(files.body.total).toBe(FILES);
  expect(files.body.items[0].path).toMatch(/^noise\/grey\//);
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'hidden' });
  expect(await page.getByText(/An upload was interrupted/).count()).toBe(0);
  expect(faults).toEqual([]);
});

it('sends no chunk of a large file again that was acknowledged before a reload', async () => {
  const folder = await noise(LARGE, 1, LARGE_SIDE);
  const visitor = await Visitor.enter(browser, { as: ADMIN });
  const { page, faults } = visitor;
  await visitor.goto('/t/demo/datasets/new');
  const chunks = await SentChunks.watch(page, 0);
  await begin(visitor, folder, '1 file');
  await chunks.untilAcknowledged(0, WORK);
  await reload(visitor);
  expect(chunks.acknowledged).toEqual([0]);
  const before = chunks.sent.length;
  chunks.letAllThrough();
  await goOn(visitor, folder, page.locator('h1'));
  await page.locator('[data-state="FROZEN"]').first().waitFor(WORK);
  expect(chunks.sent.slice(before).sort()).toEqual([1, 2, 3]);
  const files = await (await administrator()).expect(200, 'GET', `/api/v1/datasets/${LARGE}/files`);
  expect(files.body.items.map(({ size_bytes }: { size_bytes: number }) => size_bytes)).toEqual([
    statSync(join(folder, 'grey', '0.png')).size,
  ]);
  expect(faults).toEqual([]);
});
