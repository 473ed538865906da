import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const PRODUCT = ['core', 'formats', 'models', 'adapters', 'api', 'workflows', 'activities', 'cli'];
const ALL = [...PRODUCT, 'scripts', 'tests', 'bench'];
/** Named by the UTC time at which they were written. */
const MIGRATION = /^models\/migrations\/\d{8}T\d{4}-[a-z]+(-[a-z]+)*\.ts$/;
const VAGUE = /^(utils?|helpers?|common|managers?|misc|shared|lib)$/;
/** Role suffixes and where a file with that role may stand. */
const PLACES: Readonly<Record<string, RegExp>> = {
  controller: /^api\//,
  service: /^api\//,
  schemas: /^api\//,
  mapper: /^api\//,
  router: /^api\//,
  entity: /^models\//,
  repository: /^models\//,
  commands: /^models\//,
  workflow: /^workflows\//,
  state: /^workflows\//,
  activities: /^activities\//,
  bench: /^bench\//,
  wiring: /^(api|activities)\//,
};

const files = (folders: readonly string[], endings = /\.(ts|mjs)$/): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path).split(sep).join('/'),
      ),
    )
    .filter((path) => endings.test(path) && !path.includes('/generated/') && !path.includes('node_modules'));

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;

describe('the size of files', () => {
  const sizes = files(PRODUCT)
    .map(linesOf)
    .sort((a, b) => a - b);
  const quantile = (share: number): number => sizes[Math.floor((sizes.length - 1) * share)] as number;

  it('stays small on the whole: half at most 80 lines, nine in ten at most 200', () => {
    expect(quantile(0.5)).toBeLessThanOrEqual(80);
    expect(quantile(0.9)).toBeLessThanOrEqual(200);
  });

  it('never exceeds 300 lines, 500 in tests', () => {
    const tooLong = files([...ALL, 'docker'], /\.(ts|mjs|py)$/).filter(
      (path) => linesOf(path) > (path.startsWith('tests/') ? 500 : 300),
    );
    expect(tooLong).toEqual([]);
  });
});

describe('the names of files and folders', () => {
  const paths = files(ALL);

  it('are kebab-case with a role suffix', () => {
    expect(
      paths.filter(
        (path) =>
          !MIGRATION.test(path) &&
          !path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+(-[a-z]+)*)*$/.test(part)),
      ),
    ).toEqual([]);
  });

  it('say what is inside: no drawer of odds and ends', () => {
    expect(
      paths.filter((path) => path.split('/').some((part) => VAGUE.test(part.split('.')[0] as string))),
    ).toEqual([]);
  });

  it('stand in the layer of their role', () => {
    const misplaced = paths.filter((path) => {
      if (path.startsWith('tests/')) return false;
      const role = basename(path).split('.').at(-2) ?? '';
      const place = PLACES[role];
      return basename(path).split('.').length > 2 && place !== undefined && !place.test(path);
    });
    expect(misplaced).toEqual([]);
  });
});

describe('exports', () => {
  it('are named, so that a name is the same everywhere', () => {
    const withDefault = files(PRODUCT).filter((path) => /^export default /m.test(readFileSync(path, 'utf8')));
    expect(withDefault).toEqual([]);
  });

  it('come from where they are made: no file only passes on others, save the workflow index', () => {
    const barrels = files(PRODUCT).filter((path) => {
      const code = readFileSync(path, 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
      return code.length > 0 && code.every((line) => /^export .* from '/.test(line));
    });
    expect(barrels.filter((path) => path !== 'workflows/index.ts')).toEqual([]);
  });
});
