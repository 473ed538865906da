import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { administrator, stage } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

const WORK = { timeout: 60_000 };

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

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

describe('a run that ends while somebody looks at it', () => {
  it('shows the file that it left last', async () => {
    const run = `/api/v1/runs/${stage().things.otherRunId}`;
    let isToEnd = false;
    let hasEnded = false;
    const file = { path: 'model.onnx', name: 'model.onnx', is_dir: false, size_bytes: 12 };
    await page.route(
      ({ pathname }) => pathname === run,
      async (route) => {
        const response = await route.fetch();
        hasEnded = isToEnd;
        const json = { ...(await response.json()), ...(hasEnded ? {} : { status: 'RUNNING' }) };
        await route.fulfill({ response, json });
      },
    );
    await page.route(
      ({ pathname }) => pathname === `${run}/artifacts`,
      (route) => route.fulfill({ json: { items: hasEnded ? [file] : [], total: hasEnded ? 1 : 0 } }),
    );
    await visitor.goto(`/t/demo/runs/${stage().things.otherRunId}?tab=artifacts`);
    await page.locator('[data-state="RUNNING"]').first().waitFor();
    await page.getByText('No file was stored yet.').waitFor();
    isToEnd = true;
    await page.locator('[data-state="FINISHED"]').first().waitFor();
    await button('model.onnx').waitFor();
  });
});

describe('a list that somebody looks at', () => {
  it('keeps its rows where they are until new ones are asked for', async () => {
    const admin = await administrator();
    const path = '/api/v1/external-sources';
    const [known] = (await admin.expect(200, 'GET', path)).body.items;
    await visitor.goto('/t/demo/sources');
    const rows = page.getByRole('table').getByRole('link');
    await rows.first().waitFor();
    const before = await rows.allTextContents();
    const json = { name: 'A newer archive', base_url: known.base_url, token: 'a-secret' };
    const { id } = (await admin.expect(201, 'POST', path, { json })).body;
    try {
      await button('1 new: show').waitFor(WORK);
      expect(await rows.allTextContents()).toEqual(before);
      await button('1 new: show').click();
      await rows.getByText('A newer archive').waitFor();
      await page.getByRole('searchbox', { name: 'Search this list' }).fill('newer');
      await page.getByRole('link', { name: 'Archive', exact: true }).waitFor({ state: 'detached' });
      expect(await rows.allTextContents()).toEqual(['A newer archive']);
    } finally {
      await admin.expect(204, 'DELETE', `${path}/${id}`);
    }
  });
});

describe('tokens that somebody looks at', () => {
  const tokens = '/users/me/tokens';
  const names = () => page.getByRole('table').getByRole('row').locator('td:first-child').allTextContents();

  it('stay where they are until new ones are asked for, and go where one revokes them', async () => {
    const admin = await administrator();
    const make = async (name: string) => {
      const json = { name, kind: 'tracker', tenant_code: 'demo' };
      return (await admin.expect(201, 'POST', tokens, { json })).body.id;
    };
    await make('looked at');
    await visitor.goto('/account?tab=tokens');
    await button('Revoke looked at').waitFor();
    const before = await names();
    await make('made elsewhere');
    await button('1 new: show').waitFor(WORK);
    expect(await names()).toEqual(before);
    await button('1 new: show').click();
    for (const name of ['made elsewhere', 'looked at']) {
      await button(`Revoke ${name}`).click();
      await page.getByRole('dialog').getByRole('textbox').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
      await button(`Revoke ${name}`).waitFor({ state: 'detached' });
    }
    expect(await names()).toEqual(before.filter((name) => name !== 'looked at'));
  });

  it('come at once where one makes them', async () => {
    await visitor.goto('/account?tab=tokens');
    await button('New token').first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('made here');
    await button('Make the token').click();
    await page.getByRole('dialog').locator('[data-token]').waitFor();
    await page.getByRole('row').filter({ hasText: 'made here' }).waitFor();
  });
});

describe('a table that is read again', () => {
  const { experimentId } = stage().things;

  it.each([
    ['tokens', '/account?tab=tokens'],
    ['changes of stage', '/t/demo/models/digits?tab=stages'],
    ['checkpoints', `/t/demo/training/${experimentId}?tab=checkpoints`],
  ])('says when its %s were read', async (_, path) => {
    await visitor.goto(path);
    await page.locator('#main').getByRole('table').first().waitFor();
    await page
      .locator('#main')
      .getByText(/^updated /)
      .first()
      .waitFor();
  });
});

describe('two pictures that are tried one after the other', () => {
  it('shows what the model saw in the second over the second, also where the first comes later', async () => {
    const answers = (count: number) => {
      let left = count;
      return page.waitForResponse((response) => /\/invocations$/.test(response.url()) && --left === 0, WORK);
    };
    await visitor.goto(`/t/demo/serving/${stage().things.endpoint}`);
    const pictures = page.getByRole('button', { name: /^The picture / });
    await pictures.nth(1).waitFor();
    let letThrough = () => {};
    const isHeld = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    let originals = 0;
    await page.route(
      ({ pathname, searchParams }) =>
        pathname.endsWith('/content') && searchParams.get('variant') === 'original',
      async (route) => {
        originals += 1;
        if (originals === 1) await isHeld;
        await route.continue();
      },
    );
    const second = (await pictures.nth(1).getAttribute('aria-label')) ?? '';
    const name = second.split('/').at(-1) ?? '';
    const both = answers(2);
    await pictures.nth(0).click();
    await pictures.nth(1).click();
    await page.getByRole('status').getByRole('table').waitFor(WORK);
    letThrough();
    await both;
    const shown = page.getByRole('img', { name: /^The picture / });
    expect(await shown.getAttribute('alt')).toContain(name);
  });
});
