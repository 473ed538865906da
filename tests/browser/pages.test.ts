import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page, Request } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { holdsFocus, settledWidth, violationsOf, withWcag } from './support/checks.js';
import { FileBytes } from './support/file-bytes.js';
import { KILOBYTES, KILOBYTES_OF_TABS } from './support/kilobytes.js';
import { addressOf, type ConsolePage, type PageDialog, PAGES } from './support/pages.js';
import { routesOfConsole } from './support/routes.js';
import { stage } from './support/stage.js';
import { VIEWER } from './support/things.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(60_000);

/** What the theme decides; all else is the same page. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
/** That of each page as it opens, whatever it is about. */
const MOST_DOM_NODES = 2_500;
const MOST_FILES = 80;
/** That of the API, pictures among them. */
const MOST_CALLS = 60;
/** Above it a heading and what is filled are reached by keyboard long before. */
const MOST_TABS = 80;
/** More than a form of a dialog has places for the focus: it comes round. */
const TABS_OF_DIALOG = 14;

let browser: Browser;
let nobody: Visitor;
let administrator: Visitor;
const filesOf = new Map<Visitor, FileBytes>();

beforeAll(async () => {
  browser = await launchChromium();
  nobody = await Visitor.enter(browser, {});
  administrator = await Visitor.enter(browser, { as: ADMIN });
  for (const visitor of [nobody, administrator]) filesOf.set(visitor, await FileBytes.of(visitor.page));
});
afterAll(async () => {
  await browser?.close();
});

it('knows every route of the console', () => {
  expect(PAGES.map(({ route }) => route).sort()).toEqual(routesOfConsole().sort());
  expect(Object.keys(KILOBYTES).sort()).toEqual(routesOfConsole().sort());
  const views: readonly string[] = VIEWS.map(([view]) => view);
  expect(Object.keys(KILOBYTES_OF_TABS).filter((view) => !views.includes(view))).toEqual([]);
});

const wordsOf = ({ tabs = [], views = [] }: ConsolePage): string[] => [
  ...tabs.map((tab) => `tab=${tab}`),
  ...views,
];

/** Each page as it opens, and each of its tabs and other parts. */
const VIEWS = PAGES.flatMap((page) => [
  [page.route, page, undefined] as const,
  ...wordsOf(page).map((words) => [`${page.route}?${words}`, page, words] as const),
]);

/** What the parts of a page have copied up to here: no two of them show the same, but for those that the page reads. */
const copiedOf = new Map<ConsolePage, string[]>();

describe.each(VIEWS)('%s', (view, entry, words) => {
  let visitor: Visitor;
  let page: Page;
  let asked: Asked;

  beforeAll(async () => {
    visitor = entry.who === 'nobody' ? nobody : administrator;
    page = visitor.page;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    visitor.faults.length = 0;
    filesOf.get(visitor)?.take();
    asked = await countRequests(page, () => openPage(visitor, entry, words));
  });

  it('opens within its budget, asks nobody else, and breaks no policy', async () => {
    const [path] = (entry.leadsTo ?? addressOf(entry, stage().things)).split('?');
    expect(visitor.path.split('?')[0]).toBe(path);
    expect(await page.title()).toMatch(/ · VisionOps$/);
    expect(visitor.faults).toEqual([]);
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(MOST_DOM_NODES);
    expect(asked.files).toBeLessThan(MOST_FILES);
    expect(filesOf.get(visitor)?.take()).toBeLessThanOrEqual(
      KILOBYTES_OF_TABS[view] ?? KILOBYTES[entry.route] ?? 0,
    );
    expect(asked.calls.length).toBeLessThan(MOST_CALLS);
  });

  it('has the tabs that are looked at here', async () => {
    const [, ...others] = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main [role=tab]')].map(({ id }) => id.split('-tab-').at(-1))",
    );
    const known = wordsOf(entry).filter((each) => /^(tab|view)=/.test(each));
    expect(others.sort()).toEqual(known.map((each) => each.split('=')[1]).sort());
  });

  it('copies a call that it made, of its own where it reads for itself', async () => {
    const copied = await copiedCall(page);
    expect(copied === null).toBe(entry.showsNoCall !== undefined);
    if (copied === null) return;
    const tab = words?.replace(/^tab=/, '') ?? '';
    if (copied.method === 'GET' && !entry.followed?.includes(tab)) expect(asked.calls).toContain(copied.path);
    const before = copiedOf.get(entry) ?? [];
    if (words?.startsWith('tab=') && !entry.readByPage?.includes(tab))
      expect(before).not.toContain(copied.line);
    copiedOf.set(entry, [...before, copied.line]);
  });

  it('has no violation of WCAG 2.2 AA that axe finds', async () => {
    expect(await violationsOf(withWcag(page))).toEqual([]);
  });

  it('has none in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    expect(await violationsOf(new AxeBuilder({ page }).withRules(OF_COLOURS))).toEqual([]);
  });

  it('reaches what it is for by keyboard', async () => {
    expect(await unreachedActions(page)).toEqual([]);
  });

  // At 320 px it is as in a window of 1280 px at 400 %, at 640 px as at 200 %.
  it.each([320, 640])('needs no scrolling to the side at %i px', async (width) => {
    await page.setViewportSize({ width, height: width === 320 ? 800 : 400 });
    // What is laid out by scripts follows a moment later.
    await expect(settledWidth(page)).resolves.toEqual([]);
  });

  const dialogs = (entry.dialogs ?? []).filter(({ view }) => view === words);
  // Jest wants no empty table.
  if (dialogs.length > 0)
    it.each(dialogs)('has a dialog that holds whoever opens it: $opens', async (wanted) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      const name = wanted.menu ?? wanted.opens;
      const opener = page.getByRole('button', { name, exact: true }).first();
      await opener.focus();
      await opener.press('Enter');
      if (wanted.menu !== undefined)
        await page.getByRole('menuitem', { name: wanted.opens, exact: true }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.locator(':focus').first().waitFor();
      await page.locator('[role="status"] .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      expect(await violationsOf(withWcag(page))).toEqual([]);
      expect(await holdsFocus(page, TABS_OF_DIALOG)).toBe(true);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await settledWidth(page)).toEqual([]);
      if (wanted.sends !== undefined) await sendInVain(page, wanted.sends, wanted.fills ?? {});
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await opener.and(page.locator(':focus')).waitFor();
    });
});

/** Where a dialog changes something, a role that may only look sees the page otherwise. */
const CHANGED = PAGES.filter(({ dialogs = [] }) => dialogs.some(({ sends }) => sends !== undefined)).filter(
  ({ route }) => route.startsWith('/t/$tenant/') && !route.startsWith('/t/$tenant/admin/'),
);

describe('a role that may only look', () => {
  let viewer: Visitor;

  beforeAll(async () => {
    viewer = await Visitor.enter(browser, { as: VIEWER });
  });
  afterAll(async () => {
    expect(viewer.faults).toEqual([]);
    await viewer.leave();
  });

  it.each(CHANGED)('finds no violation on $route, and reasons in the place of actions', async (entry) => {
    await openPage(viewer, entry, undefined);
    await viewer.page
      .getByRole('note', { name: /VIEWER has no permission/ })
      .first()
      .waitFor();
    expect(await violationsOf(withWcag(viewer.page))).toEqual([]);
  });
});

describe('a tenant with nothing in it', () => {
  it.each(['datasets', 'training', 'models', 'serving', 'edge', 'deployments'])(
    'finds no violation among its %s, and what comes next',
    async (area) => {
      const { page } = administrator;
      await administrator.goto(`/t/lab/${area}`);
      await administrator.settled();
      await page.locator('#main').getByRole('button', { name: 'Copy as curl' }).nth(0).waitFor();
      expect(await page.locator('#main').getByRole('table').getByRole('link').count()).toBe(0);
      expect(await violationsOf(withWcag(page))).toEqual([]);
    },
  );

  afterAll(() => administrator.goto('/t/demo'));
});

/** Sends a dialog to a platform that is busy: it says so, and what was entered is still there. */
async function sendInVain(page: Page, send: string, fills: NonNullable<PageDialog['fills']>): Promise<void> {
  const dialog = page.getByRole('dialog');
  const field = (label: string) => dialog.getByRole('textbox', { name: new RegExp(`^${label}`) });
  for (const [label, value] of Object.entries(fills)) await field(label).fill(value);
  const json = { code: 'busy', message: 'Too much to do.', error_id: 'e-503', detail: null };
  await page.route('**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 503, json }),
  );
  try {
    await dialog.getByRole('button', { name: send, exact: true }).click();
    await dialog.getByRole('alert').getByText('Too much to do.').waitFor();
    for (const [label, value] of Object.entries(fills)) expect(await field(label).inputValue()).toBe(value);
  } finally {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
}

async function openPage(visitor: Visitor, entry: ConsolePage, words: string | undefined): Promise<void> {
  const address = addressOf(entry, stage().things);
  const mark = address.includes('?') ? '&' : '?';
  await visitor.goto(words === undefined ? address : `${address}${mark}${words}`);
  await visitor.settled();
}

interface Asked {
  /** That of the console itself: page, code, styles, fonts. */
  files: number;
  /** Paths of the API. */
  calls: string[];
}

async function countRequests(page: Page, work: () => Promise<void>): Promise<Asked> {
  const asked: Asked = { files: 0, calls: [] };
  const count = (request: Request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/console/')) asked.files += 1;
    else asked.calls.push(pathname);
  };
  page.on('request', count);
  await work();
  page.off('request', count);
  return asked;
}

/** What "Copy as curl" of the page copies; null where it has none. */
async function copiedCall(page: Page): Promise<{ line: string; method: string; path: string } | null> {
  // That of the page stands first.
  const button = page.getByRole('button', { name: 'Copy as curl' }).first();
  if ((await button.count()) === 0) return null;
  await page.evaluate(
    'navigator.clipboard.writeText = (text) => { window.copiedText = text; return Promise.resolve(); }',
  );
  await button.click();
  const line = await page.evaluate<string>('window.copiedText');
  const address = /https?:[^'"\s]+/.exec(line)?.[0] ?? '';
  return { line, method: / -X (\w+)/.exec(line)?.[1] ?? 'GET', path: new URL(address).pathname };
}

/** Filled buttons are what a page is for; tabs lead to each of those that can be pressed. */
const FILLED = 'main [data-variant="filled"]:not([disabled]):not([data-disabled])';

/** @returns the filled buttons and links that the Tab key does not come to */
async function unreachedActions(page: Page): Promise<string[]> {
  const wanted = new Set<string>(
    await page.evaluate<string[]>(
      `[...document.querySelectorAll('${FILLED}')].filter((element) => element.matches('button, a') && element.checkVisibility()).map((element) => element.textContent)`,
    ),
  );
  await page.evaluate('document.activeElement?.blur()');
  for (let tabs = 0; wanted.size > 0 && tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    wanted.delete(await page.evaluate<string>('document.activeElement?.textContent ?? ""'));
  }
  return [...wanted];
}
