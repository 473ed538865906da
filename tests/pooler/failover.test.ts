import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { EngineHandle } from '../../cli/engines/engine.js';
import { ownerUrl, startPostgres } from '../../cli/engines/postgres.js';
import { migrate } from '../../models/orm/migrate.js';
import { MortalPlatform } from '../faults/support/mortal-platform.js';
import { startPooler } from '../setup/pooler.js';

const PASSWORDS = {
  app: 'app-behind',
  platform: 'platform-behind',
  auth: 'auth-behind',
  ingest: 'ingest-behind',
};
const OWNER_PASSWORD = 'owner-behind';
/** That of a picture of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** API and worker behind PgBouncer, in front of a PostgreSQL that takes no changes for a while and then restarts. */
describe('a failover behind a pooler', () => {
  let dataDir: string;
  let postgres: EngineHandle<'postgres'>;
  let pooler: EngineHandle<'pooler'>;
  let platform: MortalPlatform;
  const ends: Array<() => Promise<void>> = [];
  const start = () =>
    startPostgres({
      dataDir,
      ownerPassword: OWNER_PASSWORD,
      fast: true,
      ...(postgres === undefined ? {} : { ports: postgres.ports }),
    });

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'visionops-failover-'));
    chmodSync(dataDir, 0o755);
    postgres = await start();
    await migrate({ ownerUrl: owner(), passwords: PASSWORDS });
    pooler = await startPooler({ dataDir, postgresPort: postgres.ports.postgres, passwords: PASSWORDS });
    const login = (role: keyof typeof PASSWORDS, port: number) =>
      `postgresql://visionops_${role}:${PASSWORDS[role]}@127.0.0.1:${port}/visionops`;
    platform = await MortalPlatform.start({
      DATABASE_URL: login('app', pooler.ports.pooler),
      DATABASE_PLATFORM_URL: login('platform', pooler.ports.pooler),
      DATABASE_AUTH_URL: login('auth', pooler.ports.pooler),
      DATABASE_INGEST_URL: login('ingest', pooler.ports.pooler),
      DATABASE_DIRECT_URL: login('app', postgres.ports.postgres),
    });
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await platform?.close();
    await pooler?.stop();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const owner = () => ownerUrl(postgres.ports.postgres, OWNER_PASSWORD);
  const asOwner = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: owner() });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  /** Writes until asked to stop; each dataset is asked for until it is acknowledged. */
  const writing = () => {
    const names: string[] = [];
    const stop = new AbortController();
    const done = (async () => {
      for (let at = 0; !stop.signal.aborted; at += 1) {
        const id = `d${at}`;
        const { status } = await platform.ask('POST', '/datasets', { id, name: id });
        // 409: the answer to an earlier try was lost, and the dataset was stored.
        expect([201, 409]).toContain(status);
        names.push(id);
        const form = new FormData();
        form.append('file', new Blob([PIXEL]), 'pixel.png');
        const sent = new Response(form);
        const { status: stored } = await platform.ask(
          'POST',
          `/datasets/${id}/files`,
          Buffer.from(await sent.arrayBuffer()),
          sent.headers.get('content-type') as string,
        );
        expect([200, 201, 409]).toContain(stored);
      }
    })();
    return {
      names,
      /** Until one more is acknowledged than there are now. */
      goesOn: async () => {
        const before = names.length;
        for (let left = 300; left > 0 && names.length <= before + 1; left -= 1) await sleep(100);
        expect(names.length).toBeGreaterThan(before + 1);
      },
      end: async () => {
        stop.abort();
        await done;
      },
    };
  };

  it('loses nothing that was acknowledged, finishes all work, and hears again', async () => {
    const writer = writing();
    ends.push(writer.end);
    await writer.goesOn();
    await asOwner('alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
    await sleep(500);
    const refused = await platform.send(
      'POST',
      '/datasets/drafts',
      Buffer.from('{"name": "Refused"}'),
      'application/json',
    );
    expect(refused.status).toBe(503);
    await sleep(2000);
    await asOwner(
      'set default_transaction_read_only = off',
      'alter system reset default_transaction_read_only',
      'select pg_reload_conf()',
    );
    await writer.goesOn();
    await postgres.stop();
    await sleep(1000);
    postgres = await start();
    await writer.goesOn();
    await writer.end();

    for (const name of writer.names)
      await platform.until(
        `/datasets/${name}`,
        (dataset) => dataset.file_count === 1 && !['PENDING', 'RUNNING'].includes(dataset.validation_status),
      );
    const health = await platform.until('/system/health', ({ components }) =>
      components.every(({ status }: { status: string }) => status === 'ok'),
    );
    expect(health.status).toBe('ok');
  }, 150_000);
});
