import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Rules of WCAG 2.2 A and AA. */
export const withWcag = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);

/** What axe finds, each with the places that it is about. */
export async function violationsOf(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  const places = (nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>) =>
    nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ');
  return violations.map(({ id, nodes }) => `${id}: ${places(nodes)}`);
}

/** What stands out to the right of a page that can be moved sideways, or of a dialog that can. */
const WIDER_THAN_THE_PAGE = `(() => {
  const held = [document.documentElement, ...document.querySelectorAll('[role=dialog]')];
  const wide = held.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  return wide.flatMap((frame) => [...frame.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > frame.getBoundingClientRect().left + frame.clientWidth + 1)
    .slice(-3)
    .map((element) => element.outerHTML.slice(0, 160)));
})()`;

const WIDTH_WITHIN_MS = 3000;

/** What is too wide still when all is laid out. */
export async function settledWidth(page: Page): Promise<string[]> {
  for (const until = Date.now() + WIDTH_WITHIN_MS; ; await page.waitForTimeout(100)) {
    const wider = await page.evaluate<string[]>(WIDER_THAN_THE_PAGE);
    if (wider.length === 0 || Date.now() > until) return wider;
  }
}

const IS_IN_DIALOG = `document.activeElement?.closest('[role=dialog]') !== null`;

/** Presses Tab over a dialog and back again. @returns whether the focus never left it */
export async function holdsFocus(page: Page, tabs: number): Promise<boolean> {
  for (const key of [...Array.from({ length: tabs }, () => 'Tab'), 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    if (!(await page.evaluate<boolean>(IS_IN_DIALOG))) return false;
  }
  return true;
}
