import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { ADMIN } from '../setup/supervised-platform.js';
import { dragOnto } from './support/drag.js';
import { administrator } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(180_000);

const NAME = 'noise';
const FILES = 16;
const SIDE = 1200;
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

/** Pictures of noise, which nothing makes smaller: some four megabytes each. */
async function largeFolder(): Promise<string> {
  const folder = join(root, NAME, 'grey');
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < FILES; number += 1) {
    const raw = { width: SIDE, height: SIDE, channels: 3 as const };
    const png = await sharp(randomBytes(SIDE * SIDE * 3), { raw })
      .png({ compressionLevel: 0 })
      .toBuffer();
    writeFileSync(join(folder, `${number}.png`), png);
  }
  return join(root, NAME);
}

it('goes on with an upload that a reload cut off, and sends nothing twice', async () => {
  const folder = await largeFolder();
  const visitor = await Visitor.enter(browser, { as: ADMIN });
  const { page, faults } = visitor;
  const zone = page.getByRole('group', { name: /^Drop folders/ }).first();
  await visitor.goto('/t/demo/datasets/new');
  await dragOnto(page, zone, [folder]);
  await page
    .getByText(new RegExp(`^${FILES} files`))
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Create and upload' }).click();
  const panel = page.getByRole('region', { name: 'Upload' });
  await panel.getByText(/^[1-9]\d* of \d+ files/).waitFor(WORK);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText(/An upload was interrupted/).waitFor();
  await visitor.settled();
  await dragOnto(page, zone, [folder]);
  await page.getByRole('button', { name: 'Upload', exact: true }).first().click();
  await page
    .getByText(/there already/)
    .first()
    .waitFor(WORK);
  await page.locator('[data-state="FROZEN"]').first().waitFor(WORK);
  const files = await (await administrator()).expect(200, 'GET', '/api/v1/datasets/noise/files?page_size=1');
  expect(files.body.total).toBe(FILES);
  expect(faults).toEqual([]);
});
