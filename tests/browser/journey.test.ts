import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { dragOnto } from './support/drag.js';
import { type Photographs, photographs } from './support/photographs.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

/** What the platform itself takes its time for: checking files, training, starting a model. */
const WORK = { timeout: 90_000 };
const THE_WHOLE_MS = 5 * 60_000;

/** Whether a picture of the page has come and could be read. */
const DECODED = '[...document.images].some((image) => image.complete && image.naturalWidth > 0)';

/** From a folder of photographs to a label, with pointer and keyboard alone. */
describe('the first five minutes', () => {
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let photos: Photographs;
  let startedAt: number;

  beforeAll(async () => {
    browser = await launchChromium();
    photos = await photographs('holiday');
    visitor = await Visitor.enter(browser, {});
    page = visitor.page;
    startedAt = Date.now();
  });
  afterAll(async () => {
    await browser?.close();
    if (photos !== undefined) rmSync(dirname(photos.folder), { recursive: true, force: true });
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
  const tab = (name: string | RegExp) => page.getByRole('tab', { name });
  const rail = (area: string) =>
    page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: area, exact: true });
  const state = (word: string) => page.locator(`[data-state="${word}"]`).first();
  const isAt = (path: RegExp) => page.waitForURL((url) => path.test(url.pathname));

  it('signs in', async () => {
    await visitor.goto('/');
    await visitor.signIn(ADMIN);
    await isAt(/^\/console\/t\/\w+/);
    await visitor.goto('/t/demo');
  });

  it('drags a folder in and sees the pictures', async () => {
    await rail('Datasets').click();
    await link('New dataset').first().click();
    const zone = page.getByRole('group', { name: 'Drop folders, files and ZIP archives here' });
    await dragOnto(page, zone, [photos.folder]);
    await page
      .getByText(/^80 files/)
      .first()
      .waitFor();
    expect(await page.getByRole('textbox', { name: /^Name/ }).inputValue()).toBe('holiday');
    await button('Create and upload').click();
    await isAt(/\/datasets\/holiday$/);
    await state('FROZEN').waitFor(WORK);
    const pictures = page.getByRole('button', { name: /^Open .*(flower|temple)\/\d+\.jpg$/ });
    await pictures.first().waitFor();
    expect(await pictures.count()).toBeGreaterThan(10);
    await untilDecoded(pictures.first().locator('img'));
  });

  it('reads what the validation found', async () => {
    await tab('Validation').click();
    await page.getByText('flower').first().waitFor();
    await page.getByText('temple').first().waitFor();
  });

  it('sees boxes over the pictures of the sample', async () => {
    await visitor.goto('/t/demo/datasets/scenes-sample');
    const scene = page.getByRole('button', { name: /^Open .*scene-01\.jpg$/ }).first();
    await scene.locator('svg rect').first().waitFor(WORK);
    expect(await scene.locator('svg rect').count()).toBeGreaterThanOrEqual(3);
  });

  it.each(['first', 'second'])('trains with three clicks (%s time)', async () => {
    await visitor.goto('/t/demo/datasets');
    await link('holiday').click();
    await link('Train').click();
    await page.getByText('Ready to train.').waitFor(WORK);
    await button('Train').click();
    await isAt(/\/training\/[0-9a-f-]{36}$/);
  });

  it('watches curves and log', async () => {
    await state('SUCCEEDED').waitFor(WORK);
    await tab('Metrics').click();
    await page.getByRole('region', { name: /loss/ }).first().locator('canvas').first().waitFor();
    await tab('Log').click();
    await page
      .getByText(/Epoch 1\//)
      .first()
      .waitFor();
  });

  it('compares the two', async () => {
    await rail('Training').click();
    const boxes = page.getByRole('row').filter({ hasText: 'holiday' }).getByRole('checkbox');
    await boxes.nth(1).waitFor();
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page
      .getByRole('toolbar')
      .getByRole('link', { name: /^Compare/ })
      .or(page.getByRole('toolbar').getByRole('button', { name: /^Compare/ }))
      .first()
      .click();
    await isAt(/\/training\/compare$/);
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
    await page.locator('canvas').first().waitFor();
  });

  it('registers the model', async () => {
    await rail('Training').click();
    await page.getByRole('row').filter({ hasText: 'holiday' }).first().getByRole('link').first().click();
    await button('Register the model').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^Model name/ }).fill('holiday');
    await dialog.getByRole('button', { name: 'Register the model' }).click();
    await link('holiday v1').first().click();
    await isAt(/\/models\/holiday\/1$/);
  });

  it('serves it', async () => {
    await link('Serve').click();
    await isAt(/\/serving\/new$/);
    await button('Create the endpoint').click();
    await page.waitForURL((url) => /\/serving\/(?!new)[\w-]+$/.test(url.pathname), WORK);
    await state('RUNNING').waitFor(WORK);
  });

  it.each(['flower', 'temple'] as const)('drops a picture on it and reads %s', async (label) => {
    await dragOnto(page, page.getByText('Drop a picture here'), [photos.heldBack[label]]);
    await page.getByRole('status').getByText(label, { exact: true }).first().waitFor(WORK);
    await page
      .getByText(photos.heldBack[label].split('/').at(-1) ?? '')
      .first()
      .waitFor();
  });

  it('took less than five minutes, asked nobody else and broke no policy', () => {
    expect(visitor.faults).toEqual([]);
    expect(Date.now() - startedAt).toBeLessThan(THE_WHOLE_MS);
  });

  async function untilDecoded(picture: Locator): Promise<void> {
    await picture.waitFor();
    for (
      const until = Date.now() + WORK.timeout;
      !(await page.evaluate<boolean>(DECODED));
      await page.waitForTimeout(100)
    )
      if (Date.now() > until) throw new Error('no picture could be read');
  }
});
