import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { migrate } from '../../models/orm/migrate.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';
import { DUMPS } from './dumps.js';
import { lostRows, readRows, type Rows } from './kept-rows.js';

interface Release {
  readonly version: string;
  readonly migrations: readonly string[];
}
const releases = JSON.parse(readFileSync('releases.json', 'utf8')) as Release[];
/** With the migrations of those before it. */
const cases = releases.map(({ version }, index) => {
  const names = new Set(releases.slice(0, index + 1).flatMap(({ migrations }) => migrations));
  return [version, MIGRATIONS.filter(({ name }) => names.has(name))] as const;
});

describe.each(cases)('a database of %s', (version, migrations) => {
  let database: TestDatabase;
  let owner: pg.Client;
  let before: Rows;
  const run = (over: object = {}) => migrate({ ownerUrl: database.ownerUrl, passwords: null, ...over });

  beforeAll(async () => {
    database = await testDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query('drop schema public cascade; create schema public');
    expect((await run({ migrations })).applied).toEqual(migrations.map(({ name }) => name));
    await owner.query(readFileSync(new URL(`${version}.sql`, DUMPS), 'utf8'));
    before = await readRows(owner);
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  it('has rows in every table that is looked at', () => {
    expect([...before].filter(([, { rows }]) => rows.length === 0).map(([table]) => table)).toEqual([]);
  });

  it('is brought to the schema of this version and keeps every row', async () => {
    const { applied } = await run();
    expect([...migrations.map(({ name }) => name), ...applied]).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(lostRows(before, await readRows(owner))).toEqual([]);
    expect(await run()).toEqual({ applied: [], later: [] });
  });

  it('would show a row that is lost or changed', async () => {
    await owner.query(
      "update dataset_file set path = 'planted' where path = (select min(path) from dataset_file)",
    );
    await owner.query('begin; set local session_replication_role = replica; delete from membership; commit');
    expect(lostRows(before, await readRows(owner))).toEqual([
      expect.stringMatching(/^membership .* is gone$/),
      expect.stringMatching(/^dataset_file .*: path was .*, is "planted"$/),
    ]);
  });
});
