import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import pg from 'pg';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { SourceServer } from '../fakes/source-server/source-server.js';
import { onlyWhere } from '../setup/only-where.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, type PlatformFacts, SupervisedPlatform } from '../setup/supervised-platform.js';
import { lostRows, readRows, type Rows } from './kept-rows.js';
import { mainReads, mainWrites } from './main-calls.js';
import { OldProcess } from './old-process.js';
import { SharedWork } from './shared-work.js';
import { TENANT, WorkUnderWay } from './work-under-way.js';

jest.setTimeout(400_000);
const build = process.env.UPGRADE_FROM;
const where = onlyWhere(
  build === undefined
    ? 'no build of the last release: npm run upgrade-lane makes it where its commit is present'
    : null,
);

const signIn = ({ baseUrl }: { baseUrl: string }) =>
  PlatformClient.signIn(baseUrl, ADMIN.email, ADMIN.password, TENANT);

async function asOwner<T>(platform: SupervisedPlatform, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: platform.ownerUrl() });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

describe.each(['stopped', 'killed'] as const)('a platform of the last release that is %s at work', (how) => {
  let platform: SupervisedPlatform;
  let source: SourceServer;
  let work: WorkUnderWay;
  let before: Rows;
  const rows = () => asOwner(platform, readRows);

  beforeAll(async () => {
    if (build === undefined) return;
    source = await SourceServer.start({ token: 'a-token-of-the-tests' });
    const remote = source.add({ id: 'scans', files: 200 });
    platform = await SupervisedPlatform.create(build, { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' });
    await platform.start();
    work = new WorkUnderWay(await signIn(platform), source, remote);
    await work.begin();
    before = await rows();
    await work.requireUnderWay();
  }, 400_000);
  afterAll(async () => {
    await platform?.destroy();
    await source?.close();
  }, 120_000);

  where('is taken over by this version: all work ends well', async () => {
    expect([...before].filter(([, { rows }]) => rows.length === 0)).toEqual([]);
    if (how === 'stopped') expect(await platform.stop()).toBe(0);
    else await platform.killServices();
    platform.upgrade();
    await platform.start();
    await work.end(await signIn(platform));
  });

  where('has every row that it had, on the schema of this version', async () => {
    expect(lostRows(before, await rows()).slice(0, 20)).toEqual([]);
    const { rows: names } = await asOwner(platform, (owner) =>
      owner.query<{ name: string }>('select name from mikro_orm_migrations order by name'),
    );
    expect(names.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name).sort());
  });

  where('answers as before, and its endpoint predicts as before', async () => {
    const client = await signIn(platform);
    await work.invoke(client);
    for (const [path, body] of work.answers)
      expect((await client.expect(200, 'GET', path)).body).toMatchObject(body as object);
  });

  if (how === 'killed') return;
  where('serves those whose API is still of the last release', async () => {
    const api = await OldProcess.api(build as string, platform.facts() as PlatformFacts, platform.dataDir);
    try {
      const client = await signIn(api);
      await mainReads(client);
      await mainWrites(client);
      await work.invoke(client);
    } finally {
      await api.end('SIGTERM');
    }
  });

  where(
    'shares its work with a worker of the last release, and takes over what that had when it is killed',
    async () => {
      const facts = platform.facts() as PlatformFacts;
      const ownDataDir = mkdtempSync(join(tmpdir(), 'visionops-old-'));
      const worker = await OldProcess.worker(build as string, facts, platform.dataDir, ownDataDir);
      const shared = await SharedWork.open(await signIn(platform), source, facts.temporal_address);
      try {
        await shared.untilValidatedBy(worker.identity);
        const sync = await shared.untilSyncedBy(worker.identity);
        await worker.end('SIGKILL');
        await shared.endSync(sync, worker.identity);
      } finally {
        await worker.end('SIGKILL');
        await shared.close();
        rmSync(ownDataDir, { recursive: true, force: true });
      }
    },
  );
});
