import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../tests/setup/chromium.js';
import { ADMIN } from '../harness/platform.js';

export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...process.env, ...env } as Record<string, string>,
  });
}

/** A browser of its own with an empty cache. */
export async function enterConsole(browser: Browser, baseUrl: string, isSignedIn: boolean) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(120_000);
  if (isSignedIn) {
    const form = { username: ADMIN.email, password: ADMIN.password };
    await context.request.post(`${baseUrl}/auth/cookie/login`, { form });
  }
  return { context, page: await context.newPage() };
}
