import type { Browser, BrowserContext, Page } from 'playwright-core';

/** A Chromium and who uses it. */
export interface Visit {
  readonly browser: Browser;
  readonly baseUrl: string;
  /** A browser of its own with an empty cache. */
  enter(isSignedIn: boolean): Promise<{ readonly context: BrowserContext; readonly page: Page }>;
}
