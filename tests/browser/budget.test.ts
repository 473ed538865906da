import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { stage } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(60_000);

/** As they come over the network, with their headers: code, styles, fonts and the page. */
const MOST_BYTES = 250_000;
const MOST_REQUESTS = 40;
const MOST_DOM_NODES = 200;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
});

it('brings the first page in 250 kB', async () => {
  const { page, faults } = await Visitor.enter(browser, {});
  const network = await page.context().newCDPSession(page);
  const loaded: number[] = [];
  network.on('Network.loadingFinished', ({ encodedDataLength }) => loaded.push(encodedDataLength));
  await network.send('Network.enable');
  await page.goto(`${stage().baseUrl}/console/sign-in`, { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length');
  const bytes = loaded.reduce((sum, each) => sum + each, 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(loaded.length).toBeLessThanOrEqual(MOST_REQUESTS);
  expect(nodes).toBeLessThanOrEqual(MOST_DOM_NODES);
  expect(faults).toEqual([]);
});

it('lets scripts of its own files alone run', async () => {
  const answer = await fetch(`${stage().baseUrl}/console/t/demo/datasets`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  const directive = (name: string) => new RegExp(`(?:^|; )${name} ([^;]*)`).exec(policy)?.[1];
  expect(directive('default-src')).toBe("'none'");
  expect(directive('script-src')).toBe("'self'");
  expect(directive('connect-src')).toBe("'self'");
  expect(directive('frame-ancestors')).toBe("'none'");
  expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|javascript:/i);
});
