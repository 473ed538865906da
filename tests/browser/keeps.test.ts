import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { administrator, stage } from './support/stage.js';
import { VIEWER } from './support/things.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

const BROKEN = { status: 500, json: { code: 'internal', message: 'Something broke.', detail: null } };

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

/** Answers reads of an address with an error. */
const breakReads = (path: RegExp) =>
  page.route(
    ({ pathname }) => path.test(pathname),
    (route) => (route.request().method() === 'GET' ? route.fulfill(BROKEN) : route.fallback()),
  );

describe('a page', () => {
  const comment = () => page.getByLabel('Your comment');

  it('keeps what was typed when it cannot be read again', async () => {
    await visitor.goto('/t/demo/models/digits?tab=comments');
    await comment().fill('The sevens look like ones.');
    await breakReads(/\/models\/digits\/versions$/);
    await page.getByRole('alert').getByText('Something broke.').waitFor();
    expect(await comment().inputValue()).toBe('The sevens look like ones.');
  });

  it('has nothing of what was typed for another thing of its kind, and keeps it from tab to tab', async () => {
    const admin = await administrator();
    const { items } = (await admin.expect(200, 'GET', '/api/v1/models/digits/versions')).body;
    const other = 'numbers';
    const register = `/api/v1/runs/${items[0].run_id}/register`;
    await admin.expect(201, 'POST', register, { json: { model_name: other } });
    await visitor.goto('/t/demo/models/digits?tab=comments');
    await page.locator('h1').evaluate((heading) => heading.setAttribute('data-seen', 'yes'));
    await page.getByRole('tab', { name: 'Lineage' }).click();
    await page.getByRole('tab', { name: 'Comments' }).click();
    expect(await page.locator('h1').getAttribute('data-seen')).toBe('yes');
    await comment().fill('For digits alone.');
    await page.evaluate(`history.pushState({}, '', '/console/t/demo/models/${other}?tab=comments')`);
    await page.getByRole('heading', { level: 1, name: other }).waitFor();
    expect(await comment().inputValue()).toBe('');
    await admin.expect(204, 'DELETE', `/api/v1/models/${other}/1`);
  });
});

describe('how somebody looks at things', () => {
  const { experimentId, runId, otherRunId } = stage().things;

  it('keeps the levels of a log after a reload', async () => {
    const info = page.getByRole('checkbox', { name: /^Info/ });
    await visitor.goto(`/t/demo/training/${experimentId}?tab=log`);
    await page.getByRole('log').getByText(/\S/).first().waitFor();
    expect(await info.isChecked()).toBe(true);
    await page.getByText(/^Info \d/).click();
    await page.reload();
    await page.getByRole('log').waitFor();
    expect(await info.isChecked()).toBe(false);
  });

  it('keeps the curves that were taken away after a reload', async () => {
    const chart = page.getByRole('region', { name: 'loss', exact: true });
    const curve = chart.getByRole('button', { name: 'train', exact: true });
    await visitor.goto(`/t/demo/training/${experimentId}?tab=metrics`);
    await curve.click();
    await curve.and(page.locator('[aria-pressed=false]')).waitFor();
    await page.reload();
    await curve.and(page.locator('[aria-pressed=false]')).waitFor();
  });

  it('says where more metrics could not be read, and reads them on the next try', async () => {
    const more = page.getByRole('button', { name: /^Show \d+ more metrics$/ });
    let isBroken = true;
    await page.route(
      ({ pathname, searchParams }) =>
        pathname.endsWith('/metrics') && (searchParams.get('keys') ?? '') !== '',
      (route) => (isBroken ? route.fulfill(BROKEN) : route.fallback()),
    );
    await visitor.goto(`/t/demo/training/${experimentId}?tab=metrics`);
    await more.click();
    await page.getByRole('alert').getByText('Something broke.').waitFor();
    isBroken = false;
    await button('Try again').click();
    await page
      .getByText(/^system\//)
      .first()
      .waitFor();
    expect(await more.count()).toBe(0);
  });

  it('keeps names, equal lines and layout of a comparison, and draws the first rows of many', async () => {
    const runs = `${runId},${otherRunId}`;
    await page.route(
      ({ pathname }) => pathname.endsWith('/runs/compare'),
      async (route) => {
        const response = await route.fetch();
        const compared = await response.json();
        const many = Array.from({ length: 1200 }, (_, at) => ({
          ...{ name: `layer-${at}/norm`, values: [at, at + 1], differs: true },
        }));
        const same = { name: 'layer-same/norm', values: [1, 1], differs: false };
        await route.fulfill({ response, json: { ...compared, metrics: [...many, same] } });
      },
    );
    const metrics = page.getByRole('table', { name: 'Last metric values' });
    await visitor.goto(`/t/demo/training/compare?runs=${runs}&view=table`);
    await metrics.waitFor();
    expect(await metrics.getByRole('row').count()).toBe(501);
    await page.getByText('The first 500 of 1,200').waitFor();
    await page.getByRole('switch', { name: 'Only differences' }).click();
    await page.getByRole('switch', { name: 'Runs as rows' }).click();
    await page.getByRole('searchbox', { name: 'Filter names' }).fill('layer-same');
    await page.waitForURL(({ searchParams }) => searchParams.get('q') === 'layer-same');
    await page.reload();
    await metrics.getByRole('columnheader', { name: 'layer-same/norm' }).waitFor();
    expect(await metrics.getByRole('columnheader').count()).toBe(2);
  });

  it('keeps the fields of an own range while they are filled in, and draws what they say together', async () => {
    const to = page.getByLabel(/^To/);
    await visitor.goto(`/t/demo/edge/${stage().things.deviceId}`);
    await page.locator('input').and(page.getByLabel('Time range')).click();
    await page.getByRole('option', { name: 'Own range' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.has('to'));
    const before = page.url();
    await to.fill('2020-01-01T00:00:00');
    await to.press('Enter');
    await page.getByText('This is not after "From".').waitFor();
    expect(page.url()).toBe(before);
    await page.getByLabel(/^From/).fill('2019-12-31T00:00:00');
    await page.waitForTimeout(200);
    expect(page.url()).toBe(before);
    await to.focus();
    await page.waitForURL(({ searchParams }) => /2020-01-01/.test(searchParams.get('to') ?? ''));
    await page.getByText('This is not after "From".').waitFor({ state: 'detached' });
  });

  it('keeps the filter of the curves after a reload', async () => {
    const filter = page.getByRole('searchbox', { name: 'Filter metrics' });
    await visitor.goto(`/t/demo/training/compare?runs=${runId}`);
    await filter.fill('no such curve');
    await page.waitForURL(({ searchParams }) => searchParams.has('q'));
    await page.reload();
    await filter.waitFor();
    expect(await filter.inputValue()).toBe('no such curve');
    expect(await page.getByRole('region').count()).toBe(0);
  });

  it('draws parallel coordinates once a second run is there, over the axes that somebody chose', async () => {
    const axes = page.locator('input').and(page.getByLabel('Axes'));
    const lines = page.getByRole('img', { name: /^2 runs over the axes / });
    await visitor.goto(`/t/demo/training/compare?runs=${runId}&view=parallel`);
    await axes.waitFor();
    const both = `/console/t/demo/training/compare?runs=${runId},${otherRunId}&view=parallel`;
    await page.evaluate(`history.pushState({}, '', '${both}')`);
    await lines.waitFor();
    const before = await lines.getAttribute('aria-label');
    await axes.press('Backspace');
    await page.waitForURL(({ searchParams }) => searchParams.has('axes'));
    const after = await lines.getAttribute('aria-label');
    expect(after).not.toBe(before);
    await page.reload();
    await lines.waitFor();
    expect(await lines.getAttribute('aria-label')).toBe(after);
  });
});

describe('a form', () => {
  it('of an endpoint calls the dataset that was chosen by its name, also after a reload', async () => {
    const dataset = page.locator('input').and(page.getByLabel('Validation dataset'));
    await visitor.goto('/t/demo/serving/new?model=digits&version=1');
    await dataset.click();
    await page.getByRole('option', { name: 'Handwritten digits' }).click();
    await page.reload();
    await dataset.and(page.locator('[value="Handwritten digits"]')).waitFor();
  });

  const busy = { code: 'busy', message: 'Too much to do.', error_id: 'e-503', detail: null };

  it.each([
    ['/account', 'Name', 'Save'],
    ['/t/demo/datasets/new', 'Name', 'Create empty'],
    ['/t/demo/training/new?step=review', 'Name of the training', 'Train'],
    ['/t/demo/models/digits?tab=comments', 'Your comment', 'Comment'],
    ['/t/demo/serving/new?model=digits&version=1', 'Name', 'Create the endpoint'],
  ])('%s keeps what was entered where the platform is busy', async (path, label, send) => {
    await page.route('**', (route) =>
      // What is checked meanwhile is no write.
      route.request().method() === 'GET' || /:(validate|estimate)$/.test(route.request().url())
        ? route.fallback()
        : route.fulfill({ status: 503, json: busy }),
    );
    await visitor.goto(path);
    const field = page.locator('#main').getByRole('textbox', { name: label, exact: true });
    // A name that the page proposes may come while the field is filled.
    for (let left = 10; left > 0 && (await field.inputValue()) !== 'in-vain'; left -= 1)
      await field.fill('in-vain');
    await button(send).click();
    await page.getByRole('alert').getByText('Too much to do.').waitFor();
    expect(await field.inputValue()).toBe('in-vain');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('a token that is shown once', () => {
  it('is shown when the list cannot be read again, and outlives Escape', async () => {
    await visitor.goto('/account?tab=tokens');
    await button('New token').first().click();
    await dialog().getByLabel('Name').fill('kept');
    await breakReads(/^\/users\/me\/tokens$/);
    await dialog().getByRole('button', { name: 'Make the token', exact: true }).click();
    const secret = dialog().locator('[data-token]');
    await secret.waitFor();
    await page.getByText('Something broke.').waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    expect(await secret.textContent()).not.toBe('');
  });
});

describe('what was chosen by nobody', () => {
  it('is the same after it was shown: the dataset of a training', async () => {
    const trainable = '/api/v1/training/datasets';
    await page.route(
      ({ pathname }) => pathname === trainable,
      async (route) => {
        const response = await route.fetch();
        const { items, ...rest } = await response.json();
        const [first] = items;
        const newer = { ...first, id: 'newer', name: 'Newer', digest: 'newer' };
        await route.fulfill({ response, json: { ...rest, items: isLater ? [newer, ...items] : items } });
      },
    );
    let isLater = false;
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().includes('experiments:estimate'),
    );
    await visitor.goto('/t/demo/training/new?step=review');
    const shown = (await sent).postDataJSON().dataset_id;
    isLater = true;
    const again = page.waitForResponse((response) => new URL(response.url()).pathname === trainable);
    await page.waitForTimeout(5_500);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await again;
    const check = page.waitForRequest((request) => request.url().includes('experiments:validate'));
    await page.getByLabel('Name of the training').fill('looked at');
    expect((await check).postDataJSON().dataset_id).toBe(shown);
  });
});

describe('a dataset', () => {
  /** Shows the sample with other facts than it has. */
  const showWith = (factsOf: (dataset: { readonly manifest: object }) => object) =>
    page.route(
      ({ pathname }) => pathname === '/api/v1/datasets/digits-sample',
      async (route) => {
        const response = await route.fetch();
        const dataset = await response.json();
        await route.fulfill({ response, json: { ...dataset, ...factsOf(dataset) } });
      },
    );

  it('keeps its pictures in their places when its validation ends', async () => {
    let hasEnded = false;
    const running = { status: 'VALIDATING', validation_progress: { checked: 3, total: 9 } };
    await showWith(() => (hasEnded ? {} : running));
    await visitor.goto('/t/demo/datasets/digits-sample?tab=classes');
    await page.getByText('Validation reads the files: 3 of 9').waitFor();
    const tab = page.getByRole('tab', { name: 'Classes' });
    const before = await tab.boundingBox();
    hasEnded = true;
    await page.getByText('The validation has ended.').waitFor();
    expect(await tab.boundingBox()).toEqual(before);
    await page.reload();
    await tab.waitFor();
    expect(await page.getByText('The validation has ended.').count()).toBe(0);
  });

  it('counts pictures alone, also where a few other files are listed with them', async () => {
    await showWith(({ manifest }) => ({
      file_count: 20_100,
      manifest: { ...manifest, files: [{ kind: 'image', files: 20_000 }] },
    }));
    await visitor.goto('/t/demo/datasets/digits-sample');
    await page.getByText('20,000 pictures', { exact: true }).waitFor();
    await page.getByText('100 other files stand among them', { exact: true }).waitFor();
    await page
      .getByRole('button', { name: /^Open / })
      .first()
      .click();
    await dialog().getByText('1 of 20,100 files').waitFor();
  });
});

describe('several things that are deleted at once', () => {
  it('go but for the one that is refused, which is said', async () => {
    const admin = await administrator();
    const ids = ['first', 'second', 'third'].map((name) => `bulk-${name}`);
    for (const id of ids) await admin.expect(201, 'POST', '/api/v1/datasets', { json: { id, name: id } });
    const refusal = { code: 'conflict', message: 'Runs use it.', error_id: null, detail: null };
    await page.route(
      ({ pathname }) => pathname === `/api/v1/datasets/${ids[1]}`,
      (route) =>
        route.request().method() === 'DELETE'
          ? route.fulfill({ status: 409, json: refusal })
          : route.fallback(),
    );
    await visitor.goto('/t/demo/datasets?q=bulk-&sort=name&order=asc');
    await page.getByRole('link', { name: 'bulk-third' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click();
    await button('Delete').click();
    await dialog().getByRole('textbox').fill('3 datasets');
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    const failed = dialog().getByRole('alert');
    await failed.getByText('bulk-second').waitFor();
    await failed.getByText('Runs use it.').waitFor();
    await page.unrouteAll();
    for (const [at, id] of ids.entries())
      expect((await admin.call('GET', `/api/v1/datasets/${id}`)).status).toBe(at === 1 ? 200 : 404);
    await admin.call('DELETE', `/api/v1/datasets/${ids[1]}`);
  });
});

describe('what cannot be undone by another click', () => {
  it('stays open until it is answered, and says what it failed with', async () => {
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/serving/endpoints/*/stop', async (route) => {
      await isAnswered;
      await route.fulfill(BROKEN);
    });
    await visitor.goto(`/t/demo/serving/${stage().things.endpoint}`);
    await button('Stop').click();
    await dialog().getByRole('button', { name: 'Stop', exact: true }).click();
    const cancel = dialog().getByRole('button', { name: 'Cancel' });
    await cancel.and(page.locator(':disabled')).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    expect(await dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
    answer();
    await dialog().getByText('Something broke.').waitFor();
    await cancel.click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('is asked about before an endpoint stops', async () => {
    await visitor.goto(`/t/demo/serving/${stage().things.endpoint}`);
    await button('Stop').click();
    await dialog().getByText('Whoever asks it gets no answer').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('takes the name of the model before its version leaves Production', async () => {
    const models = (await (await administrator()).expect(200, 'GET', '/api/v1/models')).body.items;
    const held = models.find(({ stages }: Held) => stages.production.length > 0) as Held;
    await visitor.goto(`/t/demo/models/${held.name}/${held.stages.production[0]}`);
    await button('Archive').click();
    const send = dialog().getByRole('button', { name: 'Archive' });
    expect(await send.isDisabled()).toBe(true);
    await dialog().getByLabel(`Type ${held.name} to confirm`).fill(held.name);
    expect(await send.isDisabled()).toBe(false);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('takes the address of somebody before a role of theirs goes', async () => {
    await visitor.goto('/t/demo/admin/users');
    const row = page.getByRole('row').filter({ hasText: VIEWER.email });
    await row.getByRole('button', { name: /Actions/i }).click();
    await page.getByRole('menuitem', { name: 'Change roles' }).click();
    await page.getByLabel(/^Remove from tenant: /).click();
    const asked = page.getByRole('dialog', { name: `Remove ${VIEWER.email} from demo?` });
    const send = asked.getByRole('button', { name: 'Remove from tenant', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await asked.getByLabel(`Type ${VIEWER.email} to confirm`).fill(VIEWER.email);
    expect(await send.isDisabled()).toBe(false);
    await asked.getByRole('button', { name: 'Cancel' }).click();
  });

  it('takes the id of a device before its token is revoked', async () => {
    const { deviceId } = stage().things;
    await visitor.goto(`/t/demo/edge/${deviceId}?tab=token`);
    await button('Revoke the token').click();
    const send = dialog().getByRole('button', { name: 'Revoke the token', exact: true });
    expect(await send.isDisabled()).toBe(true);
    await dialog().getByLabel(`Type ${deviceId} to confirm`).fill(deviceId);
    expect(await send.isDisabled()).toBe(false);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('takes the code of a tenant before its members are locked out', async () => {
    await visitor.goto('/t/demo/admin/tenants');
    await page.getByRole('button', { name: 'Settings of Laboratory' }).click();
    await dialog().getByRole('switch', { name: 'Active' }).click();
    await dialog().getByRole('button', { name: 'Save', exact: true }).click();
    const asked = page.getByRole('dialog', { name: 'Lock the members of Laboratory out?' });
    const send = asked.getByRole('button', { name: 'Switch the tenant off' });
    expect(await send.isDisabled()).toBe(true);
    await asked.getByLabel('Type lab to confirm').fill('lab');
    expect(await send.isDisabled()).toBe(false);
    await asked.getByRole('button', { name: 'Cancel' }).click();
  });

  it('takes the address of an account before it administers everything', async () => {
    await visitor.goto('/t/demo/admin/users');
    await page
      .getByRole('row')
      .filter({ hasText: VIEWER.email })
      .getByRole('button', { name: /Actions/i })
      .click();
    await page.getByRole('menuitem', { name: 'Make global administrator' }).click();
    const send = dialog().getByRole('button', { name: 'Make global administrator' });
    expect(await send.isDisabled()).toBe(true);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });
});

interface Held {
  readonly name: string;
  readonly stages: { readonly production: readonly number[] };
}
