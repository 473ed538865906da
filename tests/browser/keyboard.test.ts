import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { administrator } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(90_000);

let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  visitor = await Visitor.enter(browser, { as: ADMIN });
  page = visitor.page;
});
afterAll(async () => {
  await browser?.close();
});
beforeEach(async () => {
  expect(visitor.faults).toEqual([]);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await visitor.goto('/t/demo');
  await menu().waitFor();
});

const menu = () => page.getByRole('navigation', { name: 'Menu' });
const isAt = (path: RegExp) => page.waitForURL((url) => path.test(url.pathname));

it.each([
  ['d', 'datasets'],
  ['t', 'training'],
  ['m', 'models'],
  ['s', 'serving'],
  ['a', 'admin'],
])('goes to an area with g %s', async (key, area) => {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await isAt(new RegExp(`^/console/t/demo/${area}$`));
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await isAt(/^\/console\/t\/demo\/?$/);
});

it('shows its shortcuts with ?, and closes them with Escape', async () => {
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('Datasets').waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
});

it('has no shortcuts of one key where they are turned off', async () => {
  const account = page.getByRole('button', { name: 'Your account' });
  const keys = page.getByRole('menuitemcheckbox', { name: 'Shortcuts of one key' });
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await account.click();
  await keys.click();
  await page.reload();
  await menu().waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  // It comes after them: had they been heard, they would have led elsewhere by now.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search pages, things and actions' }).waitFor();
  expect(await list.count()).toBe(0);
  expect(visitor.path).toMatch(/^\/t\/demo\/?$/);
  await page.keyboard.press('Escape');
  await account.click();
  await keys.click();
});

it('begins at the heading of a page that it came to, which is said', async () => {
  await menu().getByRole('link', { name: 'Models' }).click();
  const heading = page.getByRole('heading', { level: 1, name: 'Models' });
  await heading.and(page.locator(':focus')).waitFor();
  await page.getByRole('status').getByText('Models', { exact: true }).waitFor({ state: 'attached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search pages, things and actions' }).fill('Register a device');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator(':focus').waitFor();
  await isAt(/\/edge$/);
  await page.getByRole('dialog').locator(':focus').waitFor();
});

it('finds pages and things with Ctrl K and goes there with Enter', async () => {
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search pages, things and actions' });
  await box.fill('audit');
  await page.getByRole('option', { name: /Audit/ }).waitFor();
  await page.keyboard.press('Enter');
  await isAt(/\/admin\/audit$/);
  await page.keyboard.press('Control+k');
  await box.fill('Handwritten');
  await page.getByRole('option', { name: /Handwritten digits/ }).waitFor();
  await page.keyboard.press('Enter');
  await isAt(/\/datasets\/digits-sample$/);
});

it('finds by the digest of data what was made from them, and the data lead there too', async () => {
  const admin = await administrator();
  const { digest } = (await admin.expect(200, 'GET', '/api/v1/datasets/digits-sample')).body;
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search pages, things and actions' });
  await box.fill(digest);
  await page.getByRole('option', { name: /Handwritten digits.*Datasets/ }).waitFor();
  await page.getByRole('option', { name: /digits.*Models/ }).click();
  await isAt(/\/models\/digits$/);
  await visitor.goto('/t/demo/datasets/digits-sample?tab=usage');
  await page.getByText('No other dataset has, or had, the same files.').waitFor();
  const row = page.getByRole('row').filter({ has: page.getByText(digest.slice(0, 8), { exact: true }) });
  await row.first().getByRole('link', { name: 'Models' }).click();
  await isAt(/\/models$/);
  expect(new URL(page.url()).searchParams.get('dataset_digest')).toBe(digest);
  await page.getByRole('link', { name: 'digits', exact: true }).first().waitFor();
  await visitor.goto('/t/demo/models/digits/1');
  await page.getByRole('link', { name: 'Datasets with these data' }).click();
  await isAt(/\/datasets$/);
  await page.getByRole('link', { name: 'Handwritten digits' }).first().waitFor();
});

it('makes things and changes looks with Ctrl K, once', async () => {
  const box = page.getByRole('combobox', { name: 'Search pages, things and actions' });
  const ask = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await box.fill(typed);
    await page.getByRole('option', { name: new RegExp(typed) }).waitFor();
    await page.keyboard.press('Enter');
    await box.waitFor({ state: 'detached' });
  };
  await ask('New tenant');
  await isAt(/\/admin\/tenants$/);
  const dialog = page.getByRole('dialog', { name: 'New tenant' });
  await dialog.waitFor();
  await page.reload();
  await menu().waitFor();
  await visitor.settled();
  expect(await dialog.count()).toBe(0);
  await ask('Appearance: Dark');
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  await ask('Appearance: As the system');
  await page.keyboard.press('Control+k');
  await box.fill('viewer@');
  await page.getByRole('option', { name: /viewer@example.com.*Users/ }).waitFor();
});

it('says why what is grey cannot be pressed', async () => {
  await visitor.goto('/t/demo/deployments/new');
  await page.getByRole('note', { name: 'Choose a model and its version.' }).waitFor();
});

it('goes over the wall of pictures with arrows, and past it with one Tab', async () => {
  const focused = () =>
    page.evaluate<string | undefined>(
      "document.activeElement?.closest('[data-index]')?.getAttribute('data-index')",
    );
  await visitor.goto('/t/demo/datasets/digits-sample');
  await page
    .getByRole('button', { name: /^Open / })
    .first()
    .focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toBe('2');
  await page.keyboard.press('End');
  const last = Number(await focused());
  expect(last).toBeGreaterThan(50);
  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toBe(String(last - 1));
  await page.keyboard.press('Tab');
  expect(await focused()).toBeUndefined();
  await page.keyboard.press('Shift+Tab');
  expect(await focused()).toBeDefined();
});

it('skips the rail with the first Tab of a page', async () => {
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate<string>('document.activeElement?.id')).toBe('main');
});
