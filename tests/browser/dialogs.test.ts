import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { administrator } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
});
beforeEach(async () => {
  visitor = await Visitor.enter(browser, { as: ADMIN });
  page = visitor.page;
});
afterAll(async () => {
  await browser?.close();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');

describe('a token that is shown once', () => {
  it('is not lost by Escape, a click beside it or a button while it is made', async () => {
    let letPass = () => {};
    const isPassed = new Promise<void>((resolve) => {
      letPass = resolve;
    });
    await page.route('**/users/me/tokens', async (route) => {
      if (route.request().method() === 'POST') await isPassed;
      await route.fallback();
    });
    await visitor.goto('/account?tab=tokens');
    await button('New token').first().click();
    await dialog().getByLabel('Name').fill('waited for');
    await dialog().getByRole('button', { name: 'Make the token', exact: true }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).and(page.locator(':disabled')).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    expect(await dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
    letPass();
    await dialog().locator('[data-token]').waitFor();
  });
});

describe('a question about several things', () => {
  it('stays what it was when the list is read again, and so does what is done', async () => {
    const running = ['first', 'second'];
    const asked: string[] = [];
    await page.route(
      ({ pathname }) => pathname.startsWith('/api/v1/deployments'),
      async (route) => {
        const request = route.request();
        if (request.method() === 'POST') {
          asked.push(new URL(request.url()).pathname);
          return route.fulfill({
            status: 409,
            json: { code: 'conflict', message: 'Too late.', detail: null },
          });
        }
        const response = await route.fetch();
        const { items, ...rest } = await response.json();
        const shown = ['first', 'second'].map((id) => ({
          ...{ ...items[0], id, status: running.includes(id) ? 'IN_PROGRESS' : 'SUCCEEDED' },
        }));
        return route.fulfill({ response, json: { ...rest, items: shown, total: 2 } });
      },
    );
    await visitor.goto('/t/demo/deployments');
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click();
    await button('Pause').click();
    const title = dialog().getByRole('heading', { name: /^Pause 2 deployments/ });
    await title.waitFor();
    running.pop();
    await page.locator('td').filter({ hasText: 'succeeded' }).waitFor();
    await dialog().getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog().getByRole('alert').waitFor();
    await title.waitFor();
    expect(asked).toEqual(['first', 'second'].map((id) => `/api/v1/deployments/${id}/pause`));
  });

  it('has nothing of what was ticked for others', async () => {
    const admin = await administrator();
    const made = await Promise.all(
      ['ticked source', 'other source'].map((name) =>
        admin.expect(201, 'POST', '/api/v1/external-sources', {
          json: { name, base_url: 'https://archive.example.org' },
        }),
      ),
    );
    await page.route(
      ({ pathname }) => pathname === '/api/v1/external-sources',
      async (route) => {
        const response = await route.fetch();
        const { items, ...rest } = await response.json();
        const linked = items.map((source: object) => ({ ...source, dataset_count: 1 }));
        await route.fulfill({ response, json: { ...rest, items: linked } });
      },
    );
    const choose = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click();
    const unlink = dialog().getByRole('checkbox', { name: /^Unlink/ });
    await visitor.goto('/t/demo/sources');
    await choose('ticked source');
    await button('Delete').click();
    await unlink.click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await choose('ticked source');
    await choose('other source');
    await button('Delete').click();
    await unlink.and(page.locator(':not(:checked)')).waitFor();
    for (const { body } of made) await admin.expect(204, 'DELETE', `/api/v1/external-sources/${body.id}`);
  });
});
