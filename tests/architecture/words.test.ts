import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const FOLDERS =
  'core formats models adapters api workflows activities cli web clients docker docs scripts bench tests';
/** Released migrations stay as they are; the description is made from the sources; this file names the words. */
const FIXED = /^models\/migrations\/|\/generated\/|node_modules\/|architecture\/words\.test\.ts$/;

/** Private words, each with what the project says instead. */
const PRIVATE: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(tells|told)\b/i, 'says, shows, reports, distinguishes; people are notified'],
  [/\b(mend|mends|mended)\b/i, 'repair'],
  [/\bstrays?\b/i, 'orphan'],
  [/\bnoted\b/i, 'recorded'],
  [/\bwary\b/i, 'careful'],
  [/\bcarr(y|ies|ied|ying) (it |them )?out\b/i, 'run, apply, make'],
  [/\bearlier li(fe|ves)\b/i, 'before the restore; the name of the epoch'],
  [/\bcom(e|es|ing) about\b/i, 'start, happen'],
  [/\/\*\* Notes\b|\. Notes (who|the|that|what)\b/, 'records'],
  [/(^[ \t]*(\/\/|\/\*\*?|\*|--|#:?)[ \t]*|\. )Of \w/m, 'the subject first'],
];

const paths = [
  ...['ARCHITECTURE.md', 'README.md', 'CHANGELOG.md'],
  ...FOLDERS.split(' ').flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path).split(sep).join('/'),
    ),
  ),
].filter((path) => /\.(ts|tsx|mjs|py|md|yaml)$/.test(path) && !FIXED.test(path));

const found = (text: string): string[] =>
  PRIVATE.flatMap(([word, instead]) => {
    const match = word.exec(text);
    return match ? [`"${match[0].trim()}": ${instead}`] : [];
  });

describe('code and documents', () => {
  it('say things in the words of the field', () => {
    expect(paths.flatMap((path) => found(readFileSync(path, 'utf8')).map((one) => `${path} ${one}`))).toEqual(
      [],
    );
  });

  it.each([
    ['/** Tells which host runs it. */'],
    ['// Noted before they are written.'],
    ['the agent carries it out once'],
    ['/** Notes who opened a session. */'],
    ['work of an earlier life'],
    ['why it does not come about'],
    ['/** Of the two lanes one is free. */'],
    ['It is kept. Of two copies the later counts.'],
  ])('are found where they do not: %s', (text) => {
    expect(found(text)).toHaveLength(1);
  });

  it.each(['a table of columns', 'expiry_told_at', 'If it happens again, tell whoever runs the platform.'])(
    'are left alone otherwise: %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});
