import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { OBJECT_COLUMNS } from '../../../models/backup/object-references.sql.js';
import { CHANGED_TABLES, OUTLIVED_TABLES } from '../../../models/backup/outlived-rows.sql.js';
import { RESTORED_WORK } from '../../../models/backup/restored-work.platform.js';
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

  it('empties and changes tables that there are', async () => {
    for (const table of [...OUTLIVED_TABLES, ...CHANGED_TABLES])
      await expect(client.query(`select 1 from ${table} limit 1`)).resolves.toBeDefined();
  });
});
