/** A page, a part, a query: what needs more lines is several of them. Written by hand, each file of the console stays short. */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'web/src';
const GENERATED = `${FOLDER}/api/generated/`;
const MOST_LINES = 249;

/** Name and meaning of the rule, in the form of the rules about imports. */
export const CONSOLE_FILES_RULE = {
  name: 'console-files-are-short',
  comment: `a file of the console has at most ${MOST_LINES} lines`,
};

/** @returns lines `rule: file -> what is wrong` */
export function consoleFileViolations() {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((path) => `${FOLDER}/${path}`)
    .filter((path) => /\.(ts|tsx|css)$/.test(path) && !path.startsWith(GENERATED))
    .flatMap((path) => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n').length;
      return lines <= MOST_LINES ? [] : [`${CONSOLE_FILES_RULE.name}: ${path} -> has ${lines} lines`];
    });
}
