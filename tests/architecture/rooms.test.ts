import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ENTITIES } from '../../models/orm/entities.js';
import { sqlProblems, writesByKey } from './sql-texts.js';

const PRODUCT = ['core', 'formats', 'models', 'adapters', 'api', 'workflows', 'activities', 'cli'];
const MOST_IN_A_FOLDER = 30;
const MOST_PLATFORM_FILES = 60;
const MOST_LINES_OF_THE_ROOT = 100;
const MOST_METHODS_OF_A_PORT = 10;
const MOST_WRITES_BY_KEY = 30;

const sourcesIn = (folders: readonly string[]) =>
  folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path).split(sep).join('/'),
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.includes('/generated/'));

const paths = sourcesIn(PRODUCT);
const tests = sourcesIn(['tests']);

describe('SQL', () => {
  it('is text in .sql.ts alone, each write with its reason', () => {
    expect(paths.flatMap((path) => sqlProblems(path, readFileSync(path, 'utf8')))).toEqual([]);
  });

  it.each([
    ['models/x.commands.ts', 'await tx.query(`select 1`)', /outside of a \.sql\.ts/],
    ['cli/x.ts', "client.query('delete from run where id = $1')", /outside of a \.sql\.ts/],
    ['models/x.queries.ts', 'sql`exists (select 1 from run r)`', /a subselect of SQL outside of a \.sql\.ts/],
    ['models/x.queries.ts', 'sql`coalesce((\n  select json_agg(r) from run r), 0)`', /a subselect of SQL/],
    ['models/x.queries.ts', 'sql`m.id in ( SELECT id from run)`', /a subselect of SQL/],
    ['models/x.queries.ts', 'sql`r.version = (select max(version) from run)`', /a subselect of SQL/],
    ['models/x.sql.ts', '`delete from run where id = $1`', /without -- bulk/],
    ['models/x.sql.ts', '`-- bulk:\n delete from run where id = $1`', /without -- bulk/],
  ])('is found where it does not belong: %s, %s', (path, text, problem) => {
    expect(sqlProblems(path, text)).toEqual([expect.stringMatching(problem)]);
  });

  it('is let be where it belongs', () => {
    expect(sqlProblems('models/x.sql.ts', '`-- set: those that ended\n delete from run`')).toEqual([]);
    expect(sqlProblems('models/orm/x.ts', "'select 1'")).toEqual([]);
    expect(sqlProblems('models/x.sql.ts', 'sql`exists (select 1 from run r)`')).toEqual([]);
    expect(sqlProblems('models/x.queries.ts', "eb.exists(eb.selectFrom('run').select('id'))")).toEqual([]);
  });
});

describe('writes of one row by SQL', () => {
  /** No property of a key is named otherwise than its column. */
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const keys = new Map(
    ENTITIES.map((schema) => {
      const { tableName, primaryKeys } = schema.init().meta;
      return [tableName, primaryKeys.map(snake)] as const;
    }),
  );

  it('are few: entities do them elsewhere', () => {
    const found = paths
      .filter((path) => path.endsWith('.sql.ts'))
      .flatMap((path) => writesByKey(readFileSync(path, 'utf8'), keys).map((write) => `${path}: ${write}`));
    expect(found.length).toBeGreaterThan(5);
    expect(found.slice(MOST_WRITES_BY_KEY)).toEqual([]);
  });

  it.each([
    ['update tenant set name = $2 where id = $1', 1],
    ['update tenant t set name = $2 where t.id = $1 and is_active', 1],
    ['with gone as (delete from param where run = $1 and key = $2 returning run) select from gone', 1],
    ['insert into param (run, key, value) values ($1, $2, $3) on conflict (run, key) do nothing', 1],
    ['delete from param where run = $1', 0],
    ['with gone as (delete from param where run = $1) select from x where key = $2', 0],
    ['update tenant set name = $2 where id = any($1)', 0],
    ['insert into param select from unnest($1) on conflict (run, key) do nothing', 0],
  ])('are found: %s', (text, count) => {
    expect(writesByKey(`\`${text}\``, keys)).toHaveLength(count);
  });
});

describe('rooms', () => {
  it('have so few files that one sees them all', () => {
    const counts = new Map<string, number>();
    for (const path of [...paths, ...tests]) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const crowded = [...counts].filter(
      ([folder, count]) => count > MOST_IN_A_FOLDER && folder !== 'models/migrations',
    );
    expect(crowded).toEqual([]);
  });

  it('let few files see every tenant', () => {
    const all = paths.filter((path) => path.endsWith('.platform.ts'));
    expect(all.length).toBeLessThanOrEqual(MOST_PLATFORM_FILES);
  });

  it('leave the composition root of the worker short', () => {
    const lines = readFileSync('activities/container.ts', 'utf8').split('\n').length - 1;
    expect(lines).toBeLessThanOrEqual(MOST_LINES_OF_THE_ROOT);
  });
});

describe('rooms of tests', () => {
  /** Tests of the API import no layer at all: they call it as its users do. */
  const ROOMS = /^tests\/(core|formats|models|adapters|workflows|activities)\//;
  /** The layers that a test imports; core is vocabulary, which every layer has. */
  const layersOf = (path: string) =>
    new Set(
      [...readFileSync(path, 'utf8').matchAll(/from '((?:\.\.\/)+)(\w+)\//g)]
        .filter(([, up]) => up?.split('/').length === path.split('/').length)
        .map(([, , layer]) => layer as string)
        .filter((layer) => layer !== 'core' && PRODUCT.includes(layer)),
    );

  it.each(['formats', 'adapters'])('are those of their layer: what knows %s alone stands there', (layer) => {
    const alone = tests.filter((path) => {
      const layers = layersOf(path);
      return path.endsWith('.test.ts') && layers.size === 1 && layers.has(layer);
    });
    const inLayers = alone.filter((path) => ROOMS.test(path));
    expect(inLayers.length).toBeGreaterThan(5);
    expect(inLayers.filter((path) => !path.startsWith(`tests/${layer}/`))).toEqual([]);
  });
});

describe('ports', () => {
  it('ask for at most ten things each', () => {
    const ports = paths
      .filter((path) => path.startsWith('core/ports/'))
      .flatMap((path) => [
        ...readFileSync(path, 'utf8').matchAll(/^export interface (\w+).*\{\n([\s\S]*?)^\}/gm),
      ]);
    expect(ports.length).toBeGreaterThan(30);
    const methods = ports.map(
      ([, name, body]) => [name, body?.match(/^ {2}\w+(<.*>)?\(/gm)?.length ?? 0] as const,
    );
    expect(methods.filter(([, count]) => count > MOST_METHODS_OF_A_PORT)).toEqual([]);
  });
});
