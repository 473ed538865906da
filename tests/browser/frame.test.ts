import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { administrator, apiPid, stage } from './support/stage.js';
import { OPERATOR, VIEWER } from './support/things.js';
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

describe('the tenant', () => {
  it('stands in the address, and the switch changes both', async () => {
    const choice = page.getByRole('combobox', { name: 'Tenant' });
    await choice.click();
    await page.getByRole('option', { name: 'Laboratory' }).click();
    await isAt(/^\/console\/t\/lab\/?$/);
    await visitor.goto('/t/demo/models');
    await menu().waitFor();
    expect(await choice.inputValue()).not.toBe('Laboratory');
    await visitor.goto('/');
    await isAt(/^\/console\/t\/demo\/?$/);
  });
});

describe('another tenant', () => {
  it('is shown by the same area', async () => {
    await visitor.goto('/t/demo/promotions');
    await page.getByRole('combobox', { name: 'Tenant' }).click();
    await page.getByRole('option', { name: 'Laboratory' }).click();
    await isAt(/^\/console\/t\/lab\/models$/);
    await visitor.goto('/t/demo');
  });

  it('is not the last one because a pointer was over a link to it', async () => {
    await visitor.goto('/t/demo/admin/tenants');
    await page.getByRole('table').getByRole('link', { name: 'Laboratory', exact: true }).hover();
    await page.waitForTimeout(500);
    await visitor.goto('/');
    await isAt(/^\/console\/t\/demo\/?$/);
  });
});

describe('a view of a list', () => {
  it('is kept under a name, with search and order, until it is removed', async () => {
    await visitor.goto('/t/demo/datasets?q=digits&sort=name&order=desc');
    await visitor.settled();
    const views = page.getByRole('button', { name: 'Saved views' });
    await views.click();
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('Only digits');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Only digits', exact: true }).waitFor();
    await visitor.goto('/t/demo/datasets');
    await visitor.settled();
    await views.click();
    await page.getByRole('button', { name: 'Only digits', exact: true }).click();
    await page.waitForURL((url) => url.search === '?q=digits&sort=name&order=desc');
    await visitor.goto('/t/lab/datasets');
    await visitor.settled();
    await views.click();
    await page.getByText('A view keeps the search').waitFor();
    await visitor.goto('/t/demo/datasets');
    await visitor.settled();
    await views.click();
    const remove = page.getByRole('button', { name: 'Remove the view Only digits' });
    await remove.click();
    await page.getByText('A view keeps the search').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('The view Only digits was removed').waitFor({ state: 'detached' });
    await visitor.goto('/t/demo/datasets');
    await visitor.settled();
    await views.click();
    await remove.click();
    await page.getByText('A view keeps the search').waitFor();
  });
});

describe('"back"', () => {
  it('takes back a tab, and closes a picture that stands over the page', async () => {
    const tab = (name: string) => page.getByRole('tab', { name });
    const isChosen = (name: string) => tab(name).and(page.locator('[aria-selected=true]')).waitFor();
    await visitor.goto('/t/demo/datasets/digits-sample');
    await tab('Files').click();
    await isChosen('Files');
    await page.goBack();
    await isChosen('Gallery');
    const picture = page.getByRole('dialog');
    await page
      .getByRole('button', { name: /^Open / })
      .first()
      .click();
    await picture.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/at=(%22)?1/);
    await page.goBack();
    await picture.waitFor({ state: 'hidden' });
    await page.goForward();
    await picture.waitFor();
    await page.keyboard.press('Escape');
    await picture.waitFor({ state: 'hidden' });
    expect(visitor.path).toBe('/t/demo/datasets/digits-sample');
  });

  it('leads to the step before in the wizard, whose draft outlives that and a reload', async () => {
    const name = page.getByLabel('Name of the training');
    const step = (label: string) => page.getByRole('button', { name: new RegExp(`^\\d\\s*${label}`) });
    await visitor.goto('/t/demo/training/new');
    await step('Resources').click();
    await name.fill('mine');
    await step('Framework').click();
    await page.waitForURL(/step=model/);
    await page.goBack();
    await page.waitForURL(/step=review/);
    await page.reload();
    await name.waitFor();
    expect(await name.inputValue()).toBe('mine');
    await visitor.goto('/t/demo');
    await visitor.goto('/t/demo/training/new?step=review');
    await name.waitFor();
    expect(await name.inputValue()).toBe('');
  });
});

describe('a log', () => {
  it('is no longer followed where somebody scrolls up, and the next one is', async () => {
    const follow = page.getByRole('switch', { name: 'Follow' });
    const log = page.getByRole('log');
    await page.setViewportSize({ width: 1280, height: 500 });
    await visitor.goto(`/t/demo/training/${stage().things.experimentId}?tab=log`);
    await log.getByText(/\S/).first().waitFor();
    expect(await follow.isChecked()).toBe(true);
    await log.hover();
    await page.mouse.wheel(0, -5000);
    await follow.and(page.locator(':not(:checked)')).waitFor();
    await page.reload();
    await log.waitFor();
    expect(await follow.isChecked()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('a part of a page whose code does not come', () => {
  /** Lets the code of parts pass once it is called. */
  const holdBack = async (name: string) => {
    await page.route(new RegExp(`/${name}-[^/]+\\.js$`), (route) => route.abort('connectionrefused'));
    return () => page.unrouteAll();
  };
  const card = () => page.getByRole('alert').filter({ hasText: 'The code of this part' });

  it('says so in its place alone, and comes on the next try', async () => {
    const letPass = await holdBack('validation-tab');
    await visitor.goto('/t/demo/datasets/digits-sample?tab=validation');
    await card().waitFor();
    await page.getByRole('tab', { name: 'Files' }).waitFor();
    await letPass();
    await card().getByRole('button', { name: 'Try again' }).click();
    await card().waitFor({ state: 'detached' });
    await page
      .getByRole('tabpanel')
      .getByText(/frozen/)
      .first()
      .waitFor();
  });

  it('leaves the page be where it is the palette, which is asked for again with its keys', async () => {
    const letPass = await holdBack('palette');
    await page.keyboard.press('Control+k');
    await card().waitFor();
    await page.keyboard.press('Escape');
    await card().waitFor({ state: 'detached' });
    await letPass();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages, things and actions' }).waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('an endpoint whose image is built', () => {
  it('shows itself on the page that its maker has gone to, and takes nobody away', async () => {
    let isBuilt = false;
    /** Answers of a platform that restarts, then knows the session no more. */
    const trouble = [503, 401];
    const json = (body: object) => ({ contentType: 'application/json', body: JSON.stringify(body) });
    await page.route('**/api/v1/registry/images?*', (route) => route.fulfill(json({ items: [], total: 0 })));
    let asked = 0;
    await page.route('**/api/v1/models/digits/1/image', (route) => {
      asked += 1;
      const status = asked > 1 ? trouble.shift() : undefined;
      if (status !== undefined)
        return route.fulfill({ status, ...json({ code: 'x', message: 'Not now.', detail: null }) });
      return route.fulfill(json({ id: 'i1', status: isBuilt ? 'READY' : 'BUILDING', status_message: null }));
    });
    await page.route('**/api/v1/serving/endpoints', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, ...json({ name: 'elsewhere' }) })
        : route.continue(),
    );
    await visitor.goto('/t/demo/serving/new?model=digits&version=1');
    await page.getByRole('textbox', { name: 'Name' }).fill('elsewhere');
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await page.getByText('The image is being built').waitFor();
    await menu().getByRole('link', { name: 'Datasets' }).click();
    await isAt(/\/datasets$/);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await visitor.signIn(ADMIN);
    await again.waitFor({ state: 'detached' });
    isBuilt = true;
    await page.getByRole('link', { name: 'The endpoint elsewhere is created' }).waitFor();
    expect(visitor.path).toBe('/t/demo/datasets');
  });
});

describe('a tenant without a dataset', () => {
  it('shows what a training still needs, and leads there', async () => {
    await visitor.goto('/t/lab/training/new');
    await page.getByRole('note', { name: /^Choose first: .*Dataset/ }).waitFor();
    await page.getByRole('button', { name: 'Go to Dataset' }).click();
    await page.getByText('There is no frozen dataset to train from.').waitFor();
    await visitor.goto('/t/demo');
  });
});

describe('a role that may only look', () => {
  it('is shown which permission is missing, by pointer and by keyboard', async () => {
    const viewer = await Visitor.enter(browser, { as: VIEWER });
    await viewer.goto('/t/demo/datasets');
    await viewer.settled();
    const reason = viewer.page.getByRole('note', { name: /VIEWER has no permission DATASET_WRITE/ }).first();
    await reason.waitFor();
    await reason.focus();
    await viewer.page
      .getByRole('tooltip')
      .getByText(/DATASET_WRITE/)
      .waitFor();
    await viewer.goto('/t/lab/datasets');
    await viewer.page.getByRole('alert').waitFor();
    expect(viewer.faults).toEqual([]);
    await viewer.leave();
  });
});

describe('a role that serves what is there', () => {
  it('serves an image that is ready, and is shown why it cannot have one built', async () => {
    const operator = await Visitor.enter(browser, { as: OPERATOR });
    const asked: string[] = [];
    await operator.page.route('**/api/v1/**', (route) => {
      const request = route.request();
      if (request.method() === 'GET') return route.fallback();
      asked.push(new URL(request.url()).pathname);
      return route.fulfill({ status: 201, json: { name: stage().things.endpoint } });
    });
    const create = operator.page.getByRole('button', { name: 'Create the endpoint' });
    await operator.goto('/t/demo/serving/new?model=digits&version=2');
    await operator.page
      .getByRole('note', { name: /no image that is ready.*no permission DEVELOP/ })
      .waitFor();
    expect(await create.isDisabled()).toBe(true);
    await operator.goto('/t/demo/serving/new?model=digits&version=1');
    await operator.page.getByText('Its image is ready.').waitFor();
    await create.click();
    await operator.page.waitForURL(new RegExp(`/serving/${stage().things.endpoint}$`));
    expect(asked).toEqual(['/api/v1/serving/endpoints']);
    expect(operator.faults).toEqual([]);
    await operator.leave();
  });
});

describe('motion', () => {
  it('is none where somebody asked for none', async () => {
    const moving = () =>
      page.evaluate<number>(
        "[...document.querySelectorAll('*')].filter((e) => /[1-9]/.test(getComputedStyle(e).transitionDuration)).length",
      );
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
});

describe('trouble', () => {
  it('shows what failed with its id, and goes on after the retry', async () => {
    const body = { code: 'busy', message: 'Too much to do.', error_id: 'e-4711', detail: null };
    await page.route('**/users/me', (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify(body) }),
    );
    await page.reload();
    const card = page.getByRole('alert');
    await card.getByText('Too much to do.').waitFor();
    await card.getByRole('button', { name: /e-4711/ }).waitFor();
    await page.unrouteAll();
    await card.getByRole('button', { name: 'Try again' }).click();
    await menu().waitFor();
  });

  it('opens by itself once the platform answers again', async () => {
    await page.route('**/users/me', (route) => route.abort('connectionrefused'));
    await page.reload();
    await page.getByRole('alert').waitFor();
    await page.unrouteAll();
    await menu().waitFor();
  });

  it('holds the place of what a slow network still brings', async () => {
    await page.route('**/users/me', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await route.continue();
    });
    await page.reload();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    await menu().waitFor();
  });

  it('hears the bell again by itself after the API was killed', async () => {
    const unread = async () =>
      Number(/\d+/.exec((await bell().getAttribute('aria-label')) ?? '')?.[0] ?? '0');
    const bell = () => page.getByRole('link', { name: /^Notifications/ });
    await page.waitForTimeout(500);
    const before = await unread();
    const killed = apiPid();
    process.kill(killed, 'SIGKILL');
    const admin = await untilBack(killed);
    const code = `gone-${Date.now()}`;
    const made = await admin.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code, name: code } });
    const path = `/api/v1/settings/tenants/${made.body.id}/deletion`;
    await admin.expect(202, 'POST', path, { json: { confirm_code: code } });
    for (const until = Date.now() + 40_000; (await unread()) <= before && Date.now() < until; )
      await page.waitForTimeout(250);
    expect(await unread()).toBeGreaterThan(before);
  });
});

/** Waits for the next process of the API. */
async function untilBack(killed: number) {
  for (const until = Date.now() + 40_000; ; await page.waitForTimeout(200)) {
    try {
      if (apiPid() === killed) throw new Error('the API has not been started again');
      return await administrator();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
