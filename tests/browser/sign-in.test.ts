import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN } from '../setup/supervised-platform.js';
import { holdsFocus, settledWidth, violationsOf, withWcag } from './support/checks.js';
import { administrator, stage } from './support/stage.js';
import { launchChromium, type Person, type Visit, Visitor } from './support/visitor.js';

jest.setTimeout(90_000);

let browser: Browser;
let visitor: Visitor | undefined;
const enter = async (visit: Visit = {}): Promise<Visitor> =>
  (visitor = await Visitor.enter(browser, { ...visit }));

beforeAll(async () => {
  browser = await launchChromium();
});
afterEach(async () => {
  const faults = visitor?.faults ?? [];
  await visitor?.leave();
  visitor = undefined;
  expect(faults).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
});

/** A person of their own, so that nobody else's sessions end with theirs. */
async function newcomer(name: string): Promise<Person> {
  const person = { email: `${name}-${Date.now()}@example.com`, password: 'a long enough 1 phrase' };
  const json = { ...person, tenant_code: 'demo', role: 'ML_ENGINEER' };
  await (await administrator()).expect(200, 'POST', '/api/v1/system/users/create', { json });
  return person;
}

/** Ends the sessions of a person everywhere else, as another browser of theirs would. */
async function endOthers({ email, password }: Person): Promise<void> {
  const elsewhere = await PlatformClient.signIn(stage().baseUrl, email, password);
  const ended = await elsewhere.call('POST', '/users/me/sessions/end-others');
  expect(ended.status).toBeLessThan(300);
}

const isOn = (page: Page, path: RegExp) => page.waitForURL((url) => path.test(url.pathname + url.search));

describe('the door', () => {
  it('is where / and every page lead without a session, and leads back to the page that was asked for', async () => {
    const { page, goto, signIn } = bound(await enter());
    await page.goto(`${stage().baseUrl}/`);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await isOn(page, /^\/console\/sign-in/);
    await goto('/t/demo/training?status=SUCCEEDED');
    await isOn(page, /^\/console\/sign-in/);
    await signIn(ADMIN);
    await isOn(page, /^\/console\/t\/demo\/training\?status=SUCCEEDED$/);
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Datasets' }).waitFor();
  });

  it('says that the address or the password is wrong, and keeps what was typed', async () => {
    const { page, goto, signIn } = bound(await enter());
    await goto('/sign-in');
    await signIn({ ...ADMIN, password: 'not this one' });
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(ADMIN.email);
    await signIn(ADMIN);
    await isOn(page, /^\/console\/t\//);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    'javascript:alert(1)',
    '//[',
    '/console/../../evil.example',
  ])('leads to no other place than a page of the console (%j)', async (next) => {
    const { page, goto, signIn, path } = bound(await enter());
    await goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await signIn(ADMIN);
    await isOn(page, /^\/console\/(?!sign-in)/);
    await page.getByRole('heading').first().waitFor();
    expect(new URL(page.url()).origin).toBe(stage().baseUrl);
    expect(path()).not.toMatch(/^\/sign-in/);
  });

  it('sends the form once, however often it is sent while the answer is on its way', async () => {
    const { page, goto, fillIn } = bound(await enter());
    let sent = 0;
    await page.route('**/auth/cookie/login', async (route) => {
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await goto('/sign-in');
    await fillIn(ADMIN);
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign in' }).click({ force: true });
    await isOn(page, /^\/console\/t\//);
    expect(sent).toBe(1);
  });
});

describe('a session', () => {
  it('that others ended is begun again over the page, which keeps what was filled in', async () => {
    const person = await newcomer('ended');
    const { page, goto, signIn } = bound(await enter({ as: person }));
    await goto('/t/demo/datasets/new');
    await page.getByLabel('Name').fill('half typed');
    await endOthers(person);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    expect(await again.getByLabel('E-mail address').inputValue()).toBe(person.email);
    await page.keyboard.press('Escape');
    expect(await violationsOf(withWcag(page))).toEqual([]);
    expect(await holdsFocus(page, 6)).toBe(true);
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await settledWidth(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await signIn(person);
    await again.waitFor({ state: 'detached' });
    await isOn(page, /^\/console\/t\/demo\/datasets\/new$/);
    expect(await page.getByLabel('Name').inputValue()).toBe('half typed');
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    // The bell answers to the new session.
    const unread = page.waitForResponse((answer) => answer.url().endsWith('/notifications/unread-count'));
    await page.getByRole('link', { name: 'Notifications' }).click();
    expect((await unread).status()).toBe(200);
  });

  it('that was over before a reload leads to the door, and what was made is there again', async () => {
    const person = await newcomer('made');
    const { page, goto, signIn } = bound(await enter({ as: person }));
    await goto('/t/demo/training/new?step=review');
    const name = page.getByLabel('Name of the training');
    await name.fill('half made');
    await page.context().clearCookies();
    await page.reload();
    await isOn(page, /^\/console\/sign-in/);
    await signIn(person);
    await name.waitFor();
    expect(await name.inputValue()).toBe('half made');
  });

  it('of somebody else begins every tab anew', async () => {
    const [person, other] = [await newcomer('first'), await newcomer('second')];
    const { page, goto, signIn } = bound(await enter({ as: person }));
    await goto('/t/demo/datasets/new');
    const tab = await (visitor as Visitor).openTab();
    await tab.goto(`${stage().baseUrl}/console/t/demo/models`);
    await tab.getByRole('navigation', { name: 'Menu' }).waitFor();
    await page.getByLabel('Name').fill('of the first');
    await endOthers(person);
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signIn(other);
    for (const each of [page, tab]) {
      await each.getByRole('dialog').waitFor({ state: 'detached' });
      await each.getByRole('button', { name: 'Your account' }).click();
      await each.getByText(other.email).waitFor();
    }
    expect(await page.getByLabel('Name').inputValue()).toBe('');
  });

  it('ends in every tab with the sign-out in one of them', async () => {
    const person = await newcomer('tabs');
    const { page, goto } = bound(await enter({ as: person }));
    await goto('/t/demo');
    await page.getByRole('navigation', { name: 'Menu' }).waitFor();
    const other = await (visitor as Visitor).openTab();
    await other.goto(`${stage().baseUrl}/console/t/demo/models`);
    await other.getByRole('navigation', { name: 'Menu' }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await isOn(page, /^\/console\/sign-in/);
    await isOn(other, /^\/console\/sign-in\?next=/);
    await page.goBack();
    await isOn(page, /^\/console\/sign-in/);
  });

  it('goes on where the platform could not end it, and says so', async () => {
    const person = await newcomer('stays');
    const { page, goto } = bound(await enter({ as: person }));
    await goto('/t/demo/models');
    const menu = (tab: Page) => tab.getByRole('navigation', { name: 'Menu' });
    await menu(page).waitFor();
    const other = await (visitor as Visitor).openTab();
    await other.goto(`${stage().baseUrl}/console/t/demo/datasets`);
    await menu(other).waitFor();
    const signOut = async () => {
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
    };
    const busy = { code: 'busy', message: 'Too much to do.', error_id: 'e-4712', detail: null };
    let asked = 0;
    await page.route('**/auth/cookie/logout', (route) => {
      asked += 1;
      return route.fulfill({ status: 503, json: busy });
    });
    await signOut();
    await page.getByText('You are still signed in').waitFor();
    await page.getByRole('button', { name: /e-4712/ }).waitFor();
    expect(asked).toBe(3);
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/console/t/demo/datasets');
    expect((await page.context().request.get(`${stage().baseUrl}/users/me`)).status()).toBe(200);
    await page.unrouteAll();
    await signOut();
    await isOn(page, /^\/console\/sign-in/);
    await isOn(other, /^\/console\/sign-in\?next=/);
    expect((await page.context().request.get(`${stage().baseUrl}/users/me`)).status()).toBe(401);
  });

  it('is kept in a cookie that no script can read, and nowhere else', async () => {
    const { page, goto, signIn } = bound(await enter());
    await goto('/sign-in');
    await signIn(ADMIN);
    await isOn(page, /^\/console\/t\//);
    await page.getByRole('navigation', { name: 'Menu' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ httpOnly }) => httpOnly)).toEqual([true]);
    expect(await page.evaluate<string>('document.cookie')).toBe('');
    const kept = await page.evaluate<string>(ALL_THAT_IS_KEPT);
    expect(kept).not.toContain(cookies[0]?.value.slice(0, 20));
    expect(kept).not.toContain(ADMIN.password);
    expect(kept).not.toMatch(/eyJ|Bearer|token/i);
  });
});

/** Every entry of the storages of a page, as text. */
const ALL_THAT_IS_KEPT = `(async () => {
  const kept = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), ...(await caches.keys())];
  const ended = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const { name } of await indexedDB.databases()) {
    const db = await ended(indexedDB.open(name));
    for (const store of db.objectStoreNames)
      kept.push(JSON.stringify(await ended(db.transaction(store).objectStore(store).getAll())));
    db.close();
  }
  return kept.join('\\n');
})()`;

/** The parts of a visitor that a test names often. */
const bound = (who: Visitor) => ({
  page: who.page,
  goto: (path: string) => who.goto(path),
  fillIn: (person: Person) => who.fillIn(person),
  signIn: (person: Person) => who.signIn(person),
  path: () => who.path,
});
