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

describe('several sources of a list', () => {
  it('are deleted together once their number is typed, and the one that stays is named', async () => {
    const admin = await administrator();
    const path = '/api/v1/external-sources';
    const [known] = (await admin.expect(200, 'GET', path)).body.items;
    const ids: string[] = [];
    for (const name of ['First of many', 'Second of many']) {
      const json = { name, base_url: known.base_url, token: 'a-secret' };
      ids.push((await admin.expect(201, 'POST', path, { json })).body.id);
    }
    await page.route(
      ({ pathname }) => pathname === `${path}/${ids[1]}`,
      (route) => route.fulfill({ status: 409, json: { code: 'conflict', message: 'It is busy.' } }),
    );
    await visitor.goto('/t/demo/sources?q=of%20many');
    for (const name of ['First of many', 'Second of many'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await button('Delete').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('2 sources');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText(/Second of many/).waitFor();
    expect(await dialog.getByText(/First of many/).count()).toBe(0);
    expect((await admin.call('GET', `${path}/${ids[0]}`)).status).toBe(404);
    await admin.expect(204, 'DELETE', `${path}/${ids[1]}`);
  });
});

describe('a choice among more than one page', () => {
  it('is looked for by the platform, and goes on at its end', async () => {
    const pathname = '/api/v1/models/digits/versions';
    const total = 130;
    await page.route(
      (url) => url.pathname === pathname,
      async (route) => {
        const { searchParams } = new URL(route.request().url());
        const [at, size] = ['page', 'page_size'].map((word) => Number(searchParams.get(word)));
        const response = await route.fetch();
        const { items } = await response.json();
        const first = total - ((at ?? 1) - 1) * (size ?? 1);
        const versions = Array.from({ length: Math.min(size ?? 1, first) }, (_, n) => first - n);
        const json = { items: versions.map((version) => ({ ...items[0], version, stage: 'None' })), total };
        await route.fulfill({ json });
      },
    );
    await page.route(
      (url) => url.pathname.startsWith(`${pathname}/`),
      (route) => route.fulfill({ status: 404, json: { code: 'not_found', message: 'gone' } }),
    );
    await visitor.goto('/t/demo/deployments/new?model=digits');
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await page
      .getByLabel(/^Version/)
      .first()
      .click();
    await option('Version 130').waitFor();
    expect(await option('Version 80').count()).toBe(0);
    await option('Version 81').scrollIntoViewIfNeeded();
    await option('Version 80').waitFor({ state: 'attached' });
    await page
      .getByLabel(/^Version/)
      .first()
      .fill('version 7');
    await option('Version 7').click();
    expect(
      await page
        .getByLabel(/^Version/)
        .first()
        .inputValue(),
    ).toBe('Version 7');
    const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.get('q') === 'dig');
    await page
      .getByLabel(/^Model/)
      .first()
      .fill('dig');
    await asked;
    await option('digits').waitFor();
  });
});

describe('a run', () => {
  it('has one colour in the list, on its page and in the curves', async () => {
    const { otherRunId } = stage().things;
    const mark = page.locator('#main [data-run-colour]');
    await visitor.goto('/t/demo/experiments');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href*="${otherRunId}"]`) });
    const colour = await row.locator('[data-run-colour]').getAttribute('data-run-colour');
    await visitor.goto(`/t/demo/runs/${otherRunId}`);
    expect(await mark.first().getAttribute('data-run-colour')).toBe(colour);
    await visitor.goto(`/t/demo/training/compare?runs=${otherRunId}`);
    const swatch = page.locator('#main svg line').first();
    // A line that lies flat has no height to be seen by.
    await swatch.waitFor({ state: 'attached' });
    expect(await swatch.getAttribute('stroke')).toBe(colour);
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
