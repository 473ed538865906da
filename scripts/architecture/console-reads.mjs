/**
 * A query that fails keeps what it read before, and so does the page (web/src/shared/reading.tsx). Whoever asks a query for
 * `isError` first takes the page away with everything that somebody typed there.
 */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'web/src';
/** What an action failed with, beside its button. */
const OF_ACTION = /(\w+)\.isError && <ErrorCard error=\{\1\.error\} \/>/g;

/** Name and meaning of the rule, in the form of the rules about imports. */
export const CONSOLE_READS_RULE = {
  name: 'console-keeps-what-was-read',
  comment: 'the failure of a query is shown by Reading, above what was read before',
};

/** @returns lines `rule: file -> what is wrong` */
export function consoleReadViolations() {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx'))
    .map((path) => `${FOLDER}/${path}`)
    .filter((path) => /\bisError\b/.test(readFileSync(path, 'utf8').replace(OF_ACTION, '')))
    .map((path) => `${CONSOLE_READS_RULE.name}: ${path} -> asks a query for isError`);
}
