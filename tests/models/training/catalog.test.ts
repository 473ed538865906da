import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Catalog, taskAvailability } from '../../../models/training/catalog/catalog.js';
import type { FrameworkEntry } from '../../../models/training/catalog/catalog.types.js';
import { PUBLISHED_FRAMEWORKS } from '../../../models/training/catalog/published-frameworks.js';
import { blocksOf } from '../../journeys/support/guide-shell.js';
import { parseRuntimeCatalog } from '../../../models/training/catalog/runtime-catalog.js';

const framework = (title: string, runtime: string | null): FrameworkEntry => ({
  name: title.toLowerCase(),
  title,
  license: 'x',
  optIn: false,
  homepage: 'x',
  needsGpu: false,
  usesGpu: false,
  hasPretrained: false,
  tasks: ['detection'],
  metrics: {},
  exports: [],
  environment: null,
  runtime,
  models: [],
});
const here = { runtime: 'a', available: true, reason: null };
const broken = { runtime: 'b', available: false, reason: 'b needs Python.' };

describe('a framework that the catalog knows', () => {
  it('is the runtime of the installation where one brings it', () => {
    const own = { ...framework('Ultralytics', 'ultralytics'), optIn: true };
    const names = (own: readonly FrameworkEntry[]) =>
      new Catalog(own).frameworks.map(({ runtime }) => runtime);
    expect([names([own]), names([])]).toEqual([['ultralytics'], [null]]);
  });
});

describe('a runtime', () => {
  it('has the name of its folder, by which hosts find its programs', () => {
    const text = readFileSync('docker/runtimes/sklearn/catalog.yaml', 'utf8');
    expect(parseRuntimeCatalog('sklearn', text)).toMatchObject({ name: 'sklearn', runtime: 'sklearn' });
    expect(() => parseRuntimeCatalog('scikit', text)).toThrow(
      "catalog of the folder scikit: framework must be the folder's name, not sklearn",
    );
    const other = text.replace('runtime: sklearn', 'runtime: scikit');
    expect(() => parseRuntimeCatalog('sklearn', other)).toThrow("runtime must be the folder's name");
  });
});

describe('the guide to adding a runtime', () => {
  it('shows a catalog that is one, of the models that its example has', () => {
    const [shown] = blocksOf('add-a-runtime.md', 'yaml');
    const folder = 'tests/fixtures/runtimes/mean-colour';
    const own = parseRuntimeCatalog('mean-colour', readFileSync(join(folder, 'catalog.yaml'), 'utf8'));
    const { models, ...rest } = parseRuntimeCatalog('mean-colour', shown ?? '');
    expect(rest).toEqual({ ...own, models: undefined, environment: { sizeGb: 0.1, seconds: 10 } });
    expect(models.map(({ name, title }) => [name, title])).toEqual(
      own.models.map(({ name, title }) => [name, title]),
    );
  });
});

describe('a runtime with a licence of its own', () => {
  const runtimes = join(process.cwd(), 'docker/runtimes');
  const catalogs = readdirSync(runtimes).map((name) =>
    parseRuntimeCatalog(name, readFileSync(join(runtimes, name, 'catalog.yaml'), 'utf8')),
  );
  const bound = catalogs.filter(({ optIn }) => optIn);

  it('is the only kind that is off by itself, brings its terms, and is in no image', () => {
    expect(bound.map(({ runtime }) => runtime)).toEqual(['ultralytics']);
    for (const { runtime, license } of catalogs)
      expect([runtime, /GPL/.test(license)]).toEqual([runtime, bound.some((one) => one.runtime === runtime)]);
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    const catalog = new Catalog(catalogs);
    for (const { name, license } of catalogs)
      expect(catalog.licenceOf(name)).toBe(/GPL/.test(license) ? license : null);
    for (const { runtime } of bound) {
      expect(ignored).toContain(`docker/runtimes/${runtime}`);
      for (const name of ['LICENSE', 'NOTICE'])
        expect(existsSync(join(runtimes, String(runtime), name))).toBe(true);
    }
  });

  it('is shown with the same models where its folder is left out', () => {
    const figures = (entry: FrameworkEntry | undefined) =>
      entry?.models.map(({ name, title, task, isDefault, parametersM, map }) => ({
        ...{ name, title, task, isDefault, parametersM, map },
      }));
    expect(figures(PUBLISHED_FRAMEWORKS[0])).toEqual(figures(bound[0]));
    expect(PUBLISHED_FRAMEWORKS[0]).toMatchObject({ license: bound[0]?.license, tasks: bound[0]?.tasks });
  });
});

describe('a task of the catalog', () => {
  it('can be trained as soon as one framework can', () => {
    expect(taskAvailability([framework('B', 'b'), framework('A', 'a')], [here, broken])).toEqual({
      available: true,
      reason: null,
    });
  });

  it('names the reason of every framework otherwise', () => {
    const { available, reason } = taskAvailability(
      [framework('B', 'b'), framework('C', null)],
      [here, broken],
    );
    expect(available).toBe(false);
    expect(reason).toBe('b needs Python. No runtime for C is part of this installation.');
  });

  it('says so when there is no framework at all', () => {
    expect(taskAvailability([], [here])).toEqual({
      available: false,
      reason: expect.stringMatching(/No framework/),
    });
  });
});
