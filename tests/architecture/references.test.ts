import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const FOLDERS =
  'core formats models adapters api workflows activities cli web clients docker docs scripts bench tests'.split(
    ' ',
  );
const OWN = 'tests/architecture/references.test.ts';

/** Names of documents that whoever has the project alone cannot read. */
const OUTSIDE =
  /\bDECISIONS\b|\binterface specification\b|\b(spec|design)\/[A-Z]+\.md|\b(PROVEN|PERFORMANCE|EXPERIENCE|SECURITY|STACK|WIRE)\.md\b|\(ARCHITECTURE, |\bSTD\b|\b[Tt]he interface (of the command line )?(gives|has|describes)\b/;

const paths = [
  ...['ARCHITECTURE.md', 'README.md', 'CHANGELOG.md'],
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(folder, path).split(sep).join('/'),
    ),
  ),
].filter(
  (path) => /\.(ts|tsx|mjs|py|md|css|html)$/.test(path) && !path.includes('node_modules/') && path !== OWN,
);

describe('what the project says', () => {
  it('stands in the project: nothing refers to a document outside of it', () => {
    expect(paths.filter((path) => OUTSIDE.test(readFileSync(path, 'utf8')))).toEqual([]);
  });

  it.each([
    'as DECISIONS 32 has it',
    '(interface specification, Events)',
    'see design/PROVEN.md',
    'The STD parameters of a list',
    'The interface gives `detail` its codes',
    'as the interface of the command line describes it',
  ])('is found where it refers to one: %s', (text) => {
    expect(text).toMatch(OUTSIDE);
  });
});
