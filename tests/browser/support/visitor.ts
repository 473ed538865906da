import { type Browser, type BrowserContext, chromium, type Page, type Response } from 'playwright-core';
import { findChromium } from '../../setup/chromium.js';
import { stage } from './stage.js';

export interface Person {
  readonly email: string;
  readonly password: string;
}

export interface Visit {
  /** Null: somebody who is not signed in. */
  readonly as?: Person | null;
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

/** An action that takes longer has gone wrong, also on a machine with much to do. */
const ACTION_MS = 20_000;

/** As root Chromium has no sandbox of its own, and containers have little shared memory. */
export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } as Record<string, string> });
}

const CSP = 'Content-Security-Policy:';
/** Runs in the page before its own scripts. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('${CSP} ' + event.violatedDirective + ' ' + (event.blockedURI || event.sample)))`;

/** A person in a browser of their own. What a page must never do is recorded from the first request on. */
export class Visitor {
  /** Requests to other hosts, violations of the policy, and errors that no script caught. */
  readonly faults: string[] = [];
  readonly base = stage().baseUrl;

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async enter(
    browser: Browser,
    { as = null, width = 1280, theme = 'light' }: Visit,
  ): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(ACTION_MS);
    await context.addInitScript({ content: REPORT_VIOLATIONS });
    const visitor = new Visitor(context, await context.newPage());
    visitor.watch(visitor.page);
    if (as !== null) await visitor.signInByCall(as);
    return visitor;
  }

  /** Another tab of the same browser. */
  async openTab(): Promise<Page> {
    const page = await this.context.newPage();
    this.watch(page);
    return page;
  }

  private watch(page: Page): void {
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && origin !== this.base)
        this.faults.push(`asks another host: ${request.url()}`);
    });
    page.on('console', (message) => {
      if (message.text().startsWith(CSP)) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(`uncaught: ${error.stack ?? error.message}`));
  }

  async signInByCall({ email, password }: Person): Promise<void> {
    const form = { username: email, password };
    const answer = await this.context.request.post(`${this.base}/auth/cookie/login`, { form });
    if (answer.status() !== 204) throw new Error(`signing in answered ${answer.status()}`);
  }

  /** Fills in the form of the sign-in page. */
  async fillIn({ email, password }: Person): Promise<void> {
    await this.page.getByLabel('E-mail address').fill(email);
    await this.page.getByLabel(/^Password/).fill(password);
  }

  /** Fills in the form of the sign-in page and sends it. */
  async signIn(person: Person): Promise<void> {
    await this.fillIn(person);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Opens an address of the console. @param path below `/console` */
  goto(path: string): Promise<Response | null> {
    return this.page.goto(`${this.base}/console${path}`);
  }

  /** Waits until the page shows its heading and nothing grey in the place of what is on its way. */
  async settled(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.locator('[role="status"] .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  }

  /** Path below `/console`, with query. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname.replace(/^\/console/, '') + search;
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}
