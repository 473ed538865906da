import type { Visit } from '../console/visit.js';
import { lineOf, LINES, type StoredLog } from './stored-log.js';

/** Milliseconds until the lines can be read. */
export interface LogTimes {
  /** From the click on the tab of the log to its last line. */
  readonly end: number;
  /** From that click to the lines in the middle, where somebody scrolls as soon as all lines are there. */
  readonly middle: number;
  /** From the last letter of a search to the one line that has it, the pause that the field waits included. */
  readonly search: number;
}

const MIDDLE = lineOf(LINES / 2);
const SOUGHT = lineOf(LINES / 3);

/** Runs in the page. */
const SHOWN = `const until = (holds) => new Promise((resolve) => {
  const look = () => requestAnimationFrame(holds() ? () => resolve(performance.now()) : look);
  look();
});
const box = () => document.querySelector('[role="log"]');
const has = (line) => box()?.textContent.includes(line) === true;`;

const open = (then: string): string => `(async () => {
  ${SHOWN}
  const startedAt = performance.now();
  [...document.querySelectorAll('[role="tab"]')].find((tab) => tab.textContent === 'Log').click();
  ${then}
})()`;

const AT_THE_END = open(`return await until(() => has('${lineOf(LINES)}')) - startedAt;`);

/** Before the lines before the end are there, the box is not as high as all of them. */
const IN_THE_MIDDLE = open(`return await until(() => {
    if (!box() || box().scrollHeight < ${LINES} * 20) return false;
    if (!has('${MIDDLE}')) box().scrollTop = (${LINES / 2} - 10) * 20;
    return has('${MIDDLE}');
  }) - startedAt;`);

const OF_A_SEARCH = `(async () => {
  ${SHOWN}
  const field = document.querySelector('input[data-search]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${SOUGHT.trim()}');
  const startedAt = performance.now();
  field.dispatchEvent(new Event('input', { bubbles: true }));
  return await until(() => has('${SOUGHT.trim()}') && !has('${MIDDLE}')) - startedAt;
})()`;

/** Each opening in a browser with an empty cache, on the page of the training. */
export async function openLog(
  { baseUrl, enter }: Visit,
  { tenant, experimentId }: StoredLog,
): Promise<LogTimes> {
  const timed = async (...scripts: readonly string[]) => {
    const { context, page } = await enter(true);
    await page.goto(`${baseUrl}/console/t/${tenant}/training/${experimentId}`);
    await page.getByRole('tab', { name: 'Log' }).waitFor();
    await page.waitForTimeout(1000);
    const times: number[] = [];
    for (const script of scripts) times.push(await page.evaluate<number>(script));
    await context.close();
    return times;
  };
  const [end = 0] = await timed(AT_THE_END);
  const [middle = 0, search = 0] = await timed(IN_THE_MIDDLE, OF_A_SEARCH);
  return { end, middle, search };
}
