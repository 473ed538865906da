import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { OBJECT_COLUMNS } from '../../../models/backup/object-references.sql.js';
import { CHANGED_TABLES, OUTLIVED_TABLES } from '../../../models/backup/outlived-rows.sql.js';
import { RESTORED_WORK } from '../../../models/backup/restored-work.platform.js';
import { listTables } from '../../../models/backup/stored-tables.sql.js';
import * as workflows from '../../../workflows/index.js';
import { type TestDatabase, testDatabase } from '../../setup/engines.js';

/** No row asks for it: a schedule starts it, which workers make anew. */
const ASKED_BY_NO_ROW = ['maintenance'];

describe('what a restore must know', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it('says of every workflow what becomes of its rows', () => {
    const declared = RESTORED_WORK.map(({ workflowType }) => workflowType);
    expect([...declared, ...ASKED_BY_NO_ROW].sort()).toEqual(Object.keys(workflows).sort());
    expect(new Set(declared).size).toBe(declared.length);
  });

  it('names every column that holds the key of an object', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name ~ '(^|_)(object|manifest|preview)_key$'`,
    );
    expect(Object.keys(OBJECT_COLUMNS).sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  it('can make the partitions of every table that is partitioned', async () => {
    const { rows } = await client.query<{ name: string; by_time: boolean; parts: string[] | null }>(
      `select p.partrelid::regclass::text as name, p.partstrat = 'r' as by_time,
         (select array_agg(i.inhrelid::regclass::text order by 1) from pg_inherits i where i.inhparent = p.partrelid) as parts
       from pg_partitioned_table p`,
    );
    const byTime = rows.filter((row) => row.by_time).map(({ name }) => name);
    // Whatever is divided by something else is divided by time below it.
    for (const { parts } of rows.filter((row) => !row.by_time))
      expect(byTime).toEqual(expect.arrayContaining(parts as string[]));
    const { rows: made } = await client.query<{ name: string }>('select name from partitioned_tables()');
    expect(made.map(({ name }) => name).sort()).toEqual(byTime.sort());
    const parents = (await listTables(client)).flatMap(({ timeParents }) => timeParents);
    expect(parents.map(({ name }) => name).sort()).toEqual(byTime);
  });

  it('empties and changes tables that there are', async () => {
    for (const table of [...OUTLIVED_TABLES, ...CHANGED_TABLES])
      await expect(client.query(`select 1 from ${table} limit 1`)).resolves.toBeDefined();
  });
});
