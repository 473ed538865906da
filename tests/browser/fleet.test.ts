import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { PlayedDevice } from './support/played-device.js';
import { administrator, stage } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(60_000);

const WORK = { timeout: 30_000 };
const ID = 'gate-1';
const OTHER = 'gate-2';
const PAGE = `/t/demo/edge/${ID}`;

/** From the registration of a device to its end, and a model on the way. */
describe('a device', () => {
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let device: PlayedDevice;

  beforeAll(async () => {
    browser = await launchChromium();
    visitor = await Visitor.enter(browser, { as: ADMIN });
    page = visitor.page;
  });
  afterAll(async () => {
    await browser?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const state = (word: string) => page.locator(`#main [data-state="${word}"]`).first();

  it('is registered with a token that is shown once and kept nowhere', async () => {
    await visitor.goto('/t/demo/edge');
    await button('Register a device').first().click();
    await dialog().getByRole('textbox', { name: /^Id/ }).fill(ID);
    await dialog().getByRole('button', { name: 'Register', exact: true }).click();
    const token = (await page.locator('[data-token]').textContent()) ?? '';
    expect(token.length).toBeGreaterThan(20);
    await dialog().getByText(`export VISIONOPS_DEVICE_TOKEN='${token}'`).waitFor();
    await button('I have given it to the device').click();
    await page.getByRole('link', { name: ID, exact: true }).waitFor();
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.body.innerHTML])';
    expect(await page.evaluate<string>(kept)).not.toContain(token);
    device = new PlayedDevice(stage().baseUrl, token);
  });

  it('is followed live', async () => {
    await visitor.goto(PAGE);
    await state('PENDING').waitFor();
    await device.send('register', { os: 'linux arm64', sdk_version: 'visionops-device/0.2.0' });
    await device.send('heartbeat', { cpu: 12, mem: 41, disk: 70, policy_revision: 1 });
    await state('ACTIVE').waitFor(WORK);
    await page.getByText('12 %', { exact: true }).first().waitFor(WORK);
  });

  it('shows its heartbeats over a time that a drag narrows and one click gives back', async () => {
    await device.send('heartbeat', { cpu: 14, mem: 41, disk: 70, policy_revision: 1 });
    await visitor.goto(`${PAGE}?range=1h`);
    const box = await page.locator('section[aria-label="CPU"] .u-over').boundingBox();
    if (box === null) throw new Error('There is no chart.');
    await page.mouse.move(box.x + box.width / 4, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/[?&]from=.*&to=/);
    const { searchParams } = new URL(page.url());
    const [from = 0, to = 0] = ['from', 'to'].map((word) => Date.parse(searchParams.get(word) ?? ''));
    expect(to - from).toBeGreaterThanOrEqual(1000);
    expect(to - from).toBeLessThan(15 * 60_000);
    await button('Reset').click();
    await button('Reset').waitFor({ state: 'detached' });
    await page.locator('section[aria-label="CPU"] .u-over').waitFor(WORK);
    expect(new URL(page.url()).search).toBe('?range=1h');
  });

  it('says which policy it follows', async () => {
    await visitor.goto(`${PAGE}?tab=policy`);
    await page.getByRole('textbox', { name: 'Heartbeat every' }).fill('20');
    await button('Save').click();
    await page.getByText('The device still follows revision 1.').waitFor(WORK);
    await device.send('heartbeat', { policy_revision: 2 });
    await page.getByText('The device says that it follows this revision.').waitFor(WORK);
  });

  it('runs a command', async () => {
    await visitor.goto(`${PAGE}?tab=commands`);
    await button('New command').click();
    await dialog()
      .getByLabel(/^Command/)
      .fill('collect-logs');
    await dialog()
      .getByLabel(/^Arguments/)
      .fill('{"lines": 100}');
    await button('Give the command').click();
    expect(await device.carryOut({ lines: 100 })).toBe('collect-logs');
    await state('succeeded').waitFor(WORK);
  });

  it('is blocked and let in again together with another from the list', async () => {
    await PlayedDevice.register(await administrator(), { id: OTHER, location: 'Hall 9' });
    await visitor.goto('/t/demo/edge');
    for (const id of [ID, OTHER]) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await button('Block').click();
    await dialog().getByText('Block 2 devices?').waitFor();
    await dialog().getByRole('button', { name: 'Block' }).click();
    await dialog().waitFor({ state: 'hidden' });
    for (const id of [ID, OTHER]) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
    await page.getByRole('note', { name: 'All of the chosen devices are blocked.' }).waitFor(WORK);
    await button('Unblock').click();
    await dialog().getByRole('button', { name: 'Unblock' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: `Select ${OTHER}` }).check();
    await button('Delete').click();
    await dialog().getByRole('textbox').fill(OTHER);
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: `Select ${OTHER}` }).waitFor({ state: 'detached', ...WORK });
  });

  it('gets a model, and the way back is reported before it is gone', async () => {
    await visitor.goto(`/t/demo/deployments/new?model=digits&version=1&device=${ID}`);
    await page.getByText(`Version 1 of digits goes to the device ${ID}.`).waitFor();
    await button('Deploy').click();
    await page.waitForURL(/\/deployments\/[0-9a-f-]{36}$/);
    expect(await device.carryOut({})).toBe('deploy');
    await state('SUCCEEDED').waitFor(WORK);
    await button('Roll back').click();
    await dialog()
      .getByText(/^1 device with version 1 as before/)
      .waitFor();
    await button('Cancel').click();
  });

  it('is blocked and unblocked, each with a way back', async () => {
    await visitor.goto(PAGE);
    await button('Block').click();
    await dialog().getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText(`${ID} is blocked`).waitFor();
    await button('Unblock').waitFor();
    await button('Undo').click();
    await button('Block').waitFor();
    await button('Block').click();
    await dialog().getByRole('button', { name: 'Block', exact: true }).click();
    await button('Unblock').click();
    await dialog().getByRole('button', { name: 'Unblock', exact: true }).click();
    await page.getByText(`${ID} is unblocked`).waitFor();
    await button('Block').waitFor();
  });

  it('goes when its id is typed', async () => {
    await visitor.goto(PAGE);
    await button('More actions').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = dialog().getByRole('button', { name: 'Delete', exact: true });
    expect(await remove.isDisabled()).toBe(true);
    await dialog().getByRole('textbox').fill(ID);
    await remove.click();
    await page.waitForURL(/\/t\/demo\/edge$/);
    await page.getByRole('link', { name: 'line-3-camera', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: ID, exact: true }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
