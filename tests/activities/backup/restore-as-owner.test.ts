import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { parseArguments } from '../../../cli/arguments.js';
import { readManifest } from '../../../cli/backup/manifest.js';
import { backup } from '../../../cli/commands/backup.js';
import { restore } from '../../../cli/commands/restore.js';
import { ProductionGuide } from '../../many-machines/support/production-guide.js';
import { ownerUrl } from '../../../cli/engines/postgres.js';
import { RECORD_TABLES, seedDeviceRecords } from '../../builders/device-records.js';
import { migrate } from '../../../models/orm/migrate.js';
import { type TestDatabase, type TestStore, testDatabase, testStore } from '../../setup/engines.js';
import { readFacts } from '../../setup/facts.js';
import { fingerprint } from '../../faults/support/backup-differences.js';

/** Prepared by what section 1 of docs/guide/production.md has the administrator run. */
describe('a restore by an owner who is no superuser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-owner-'));
  const [owner, target] = [`owner_${randomUUID().slice(0, 8)}`, `t_${randomUUID().slice(0, 8)}`];
  const given = { ...process.env };
  const tenantId = randomUUID();
  const { first, inDatabase } = new ProductionGuide([
    [/visionops_owner/, owner as string],
    [/database visionops/, `database ${target}`],
    [/PASSWORD-0/, 'secret'],
  ]).administrators();
  let source: TestDatabase;
  let store: TestStore;

  const urlOf = (url: string, database: string, user?: string) => {
    const changed = new URL(url);
    changed.pathname = database;
    if (user !== undefined) [changed.username, changed.password] = [user, 'secret'];
    return changed.href;
  };
  const withClient = async <T>(connectionString: string, work: (client: pg.Client) => Promise<T>) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const asAdministrator = (database: string, ...statements: string[]) => {
    const { postgres } = readFacts();
    return withClient(ownerUrl(postgres.port, postgres.ownerPassword, database), async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  };
  const run = (command: 'backup' | 'restore') =>
    (command === 'backup' ? backup : restore)(parseArguments([command, folder], folder));
  const countIn = (url: string, question: string) =>
    withClient(url, async (client) => Number((await client.query<{ n: string }>(question)).rows[0]?.n));

  beforeAll(async () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    [source, store] = await Promise.all([testDatabase(), testStore()]);
    await asAdministrator(
      source.name,
      `insert into tenant (id, code, name) values ('${tenantId}', 'team', 'Team')`,
    );
    await withClient(source.ownerUrl, (client) => seedDeviceRecords(client, tenantId));
    Object.assign(process.env, {
      ...{ NODE_ENV: 'production', S3_ENDPOINT: store.endpoint, S3_BUCKET: store.bucket },
      ...{ S3_ACCESS_KEY: store.accessKey, S3_SECRET_KEY: store.secretKey },
      SERVICE_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...{ DATABASE_URL: source.appUrl, DATABASE_PLATFORM_URL: source.platformUrl },
      DATABASE_OWNER_URL: source.ownerUrl,
    });
    expect(await run('backup')).toBe(0);
    Object.assign(process.env, {
      DATABASE_URL: urlOf(source.appUrl, target),
      DATABASE_PLATFORM_URL: urlOf(source.platformUrl, target),
      DATABASE_OWNER_URL: urlOf(source.ownerUrl, target, owner),
    });
  });
  beforeEach(async () => {
    // One cluster serves all tests, so the role of the search functions is there.
    await asAdministrator(
      'postgres',
      ...first.filter((each) => !each.startsWith('create role visionops_search ')),
    );
    await asAdministrator(target as string, ...inDatabase);
  });
  afterEach(() => asAdministrator('postgres', `drop database ${target} with (force)`, `drop role ${owner}`));
  afterAll(async () => {
    process.env = given;
    jest.restoreAllMocks();
    await Promise.all([source?.drop(), store?.remove()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is what the guide prepares: an owner, its database, and the role of the search functions', () => {
    expect(first.map((statement) => statement.split(' ', 3).join(' '))).toEqual([
      `create role ${owner}`,
      'create role visionops_search',
      'grant visionops_search to',
      `create database ${target}`,
    ]);
    expect(inDatabase).toHaveLength(1);
  });

  it('ends well when it has to begin again', async () => {
    const table = readManifest(folder).tables.find(({ name }) => name === 'tenant');
    const part = join(folder, table?.part.file as string);
    renameSync(part, `${part}.away`);
    await expect(run('restore')).rejects.toThrow();
    const start = migrate({ ownerUrl: process.env.DATABASE_OWNER_URL as string, passwords: null });
    await expect(start).rejects.toThrow('A restore into this database was cut short');
    renameSync(`${part}.away`, part);
    expect(await run('restore')).toBe(0);
    const url = process.env.DATABASE_OWNER_URL as string;
    expect(await countIn(url, `select count(*) as n from tenant where id = '${tenantId}'`)).toBe(1);
    const ofSearch = "select count(*) as n from pg_proc where proowner = 'visionops_search'::regrole";
    expect(await countIn(url, ofSearch)).toBe(await countIn(source.ownerUrl, ofSearch));
  });

  it('brings records of devices back, of every class of retention and of days long past', async () => {
    expect(await run('restore')).toBe(0);
    const url = process.env.DATABASE_OWNER_URL as string;
    for (const table of RECORD_TABLES) {
      const print = (at: string) => withClient(at, (client) => fingerprint(client, table));
      expect(await print(url)).toBe(await print(source.ownerUrl));
      expect(await countIn(url, `select count(*) as n from ${table}`)).toBe(10);
    }
  });

  it('is refused while the platform uses the database', async () => {
    await withClient(process.env.DATABASE_URL as string, () =>
      expect(run('restore')).rejects.toThrow('The database is in use'),
    );
  });
});
