import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { CHANGED_TABLES, OUTLIVED_TABLES } from '../../models/backup/outlived-rows.sql.js';
import { RECORD_TABLES } from '../builders/device-records.js';
import { realImages } from '../builders/real-images.js';
import { SourceServer } from '../fakes/source-server/source-server.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { fingerprint, manifestOf, objectDifferences, rowDifferences } from './support/backup-differences.js';
import {
  ENDPOINTS,
  makeServed,
  seedBulk,
  sourceToken,
  startSync,
  startTraining,
} from './support/drill-ground.js';
import { IS_FULL_RUN, reportFile } from './support/kills.js';

const ROWS = IS_FULL_RUN ? 100_000 : 5000;
const OBJECTS = IS_FULL_RUN ? 5000 : 300;
const TRAININGS = 3;
const TENANT = 'shop';
const REPORT = reportFile('restore-drill');

/** Nothing writes them while the backup is taken: the old and the new database tell the same rows of them. */
const STILL = ['tenant', 'user_account', 'membership', 'model', 'model_version', 'model_version_file'];
const STILL_TOO = ['image', 'image_blob', 'image_manifest', 'dataset_file', 'dataset_version'];
const OF_BULK_RUN = ['metric_point', 'param', 'run_artifact'];

/** What a restore changes: rows of work under way, and those that tell of it. */
const DECLARED = new Set<string>([
  ...OUTLIVED_TABLES,
  ...CHANGED_TABLES,
  ...[
    'dataset',
    'dataset_sync',
    'dataset_sync_entry',
    'training_experiment',
    'training_step',
    'tracker_run',
    'tag',
  ],
  ...['serving_endpoint', 'notification_request', 'audit_entry', 'audit_epoch', 'platform_restore'],
]);

jest.setTimeout(IS_FULL_RUN ? 1_500_000 : 600_000);

describe(`a platform of ${ROWS} rows and ${OBJECTS} objects, backed up at work and restored elsewhere`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-backup-'));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const given = { ...process.env };
  const figures: Record<string, unknown> = { rows: ROWS, objects: OBJECTS };
  let [old, fresh]: SupervisedPlatform[] = [];
  let source: SourceServer;
  let sync: string;
  const trainings: string[] = [];
  const prints = new Map<string, string>();

  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = Date.now();
    const result = await work();
    figures[`${what}_s`] = (Date.now() - startedAt) / 1000;
    process.stderr.write(`  ${what}: ${figures[`${what}_s`]} s\n`);
    return result;
  };
  const fingerprints = async (platform: SupervisedPlatform): Promise<Map<string, string>> => {
    const client = new pg.Client({ connectionString: platform.ownerUrl() });
    await client.connect();
    const found = new Map<string, string>();
    for (const table of [...STILL, ...STILL_TOO, ...RECORD_TABLES])
      found.set(table, await fingerprint(client, table));
    for (const table of OF_BULK_RUN)
      found.set(
        table,
        await fingerprint(client, table, "run = (select id from tracker_run where name = 'bulk')"),
      );
    await client.end();
    return found;
  };

  beforeAll(async () => {
    process.env.SERVICE_OUTBOUND_ALLOW = '127.0.0.0/8';
    old = await SupervisedPlatform.create();
    source = await SourceServer.start({ token: sourceToken });
    const [, images] = await Promise.all([old.start(), realImages(100)]);
    const client = await PlatformClient.signIn(old.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    await client.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    await timed('seed', () => seedBulk(old as SupervisedPlatform, TENANT, ROWS, OBJECTS));
    await timed('served', () => makeServed(client, images));
    sync = await startSync(client, source);
    for (let n = 1; n <= TRAININGS; n += 1)
      trainings.push(
        await startTraining(client, `long-${n}`, { hyperparameters: 'epochs: 600\nhidden: 64\n' }),
      );
  });
  afterAll(async () => {
    process.env = given;
    if (REPORT !== null) {
      mkdirSync(dirname(REPORT), { recursive: true });
      writeFileSync(REPORT, `${JSON.stringify(figures, null, 2)}\n`);
    }
    await Promise.all([old, fresh].map((platform) => platform?.destroy()));
    await source?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('comes back with every row and every object, but those that tell of what was under way', async () => {
    expect([
      await timed('backup', () => (old as SupervisedPlatform).run('backup', first)),
      (old as SupervisedPlatform).output,
    ]).toEqual([0, expect.anything()]);
    for (const [table, print] of await fingerprints(old as SupervisedPlatform)) prints.set(table, print);
    process.env.SERVICE_SECRET_KEYS = (old as SupervisedPlatform).secrets().secretKeys;
    // Its machine is lost, with the work that went on after the backup.
    await (old as SupervisedPlatform).destroy();
    fresh = await SupervisedPlatform.create();
    const code = await timed('restore', () => (fresh as SupervisedPlatform).run('restore', first));
    expect([code, code === 0 ? '' : fresh.output]).toEqual([0, '']);
    // The data directory keeps them from here on.
    delete process.env.SERVICE_SECRET_KEYS;
    expect(await fresh.run('backup', second)).toBe(0);
    const differing = rowDifferences(first, second);
    expect(Object.keys(differing).filter((table) => !DECLARED.has(table))).toEqual([]);
    expect(differing.audit_entry).toMatchObject({ gone: 0 });
    // The name of each run that began anew.
    expect(differing.tag).toMatchObject({ gone: 0 });
    expect(differing.training_experiment).toEqual({ gone: TRAININGS, come: TRAININGS });
    expect(differing.serving_endpoint).toEqual({ gone: ENDPOINTS.length, come: ENDPOINTS.length });
    expect(differing.dataset_sync).toEqual({ gone: 1, come: 1 });
    expect(objectDifferences(first, second)).toEqual([]);
    for (const table of RECORD_TABLES) expect(prints.get(table)).toMatch(/^10 /);
    expect(manifestOf(first).objects).toMatchObject({ deleted: 0, damaged: 0 });
    Object.assign(figures, { stored: manifestOf(first).objects.count });
  });

  it('is refused where something is already', async () => {
    expect(await (fresh as SupervisedPlatform).run('restore', first)).toBe(1);
    expect((fresh as SupervisedPlatform).output).toContain('The database is not empty');
  });

  it('goes on: what was under way ends, the audit trail is sealed in the next epoch', async () => {
    const platform = fresh as SupervisedPlatform;
    await timed('start', () => platform.start());
    expect(await fingerprints(platform)).toEqual(prints);
    const client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    await expect(client.until(sync, ({ status }) => status !== 'running')).resolves.toMatchObject({
      status: 'failed',
      status_message: expect.stringContaining('restored from a backup'),
    });
    for (const name of ENDPOINTS)
      await client.until(`/api/v1/serving/endpoints/${name}`, ({ status }) => status === 'RUNNING', 180_000);
    for (const id of trainings) {
      const ended = await client.until(
        `/api/v1/training/experiments/${id}`,
        ({ status }) => ['SUCCEEDED', 'FAILED', 'CANCELED'].includes(status),
        300_000,
      );
      const why = ended.status === 'FAILED' ? ended.status_message : '';
      expect([ended.status, ended.attempt, why]).toEqual(['SUCCEEDED', 2, '']);
    }
    expect(await platform.run('verify-audit')).toBe(0);
    const owner = new pg.Client({ connectionString: platform.ownerUrl() });
    await owner.connect();
    const { rows } = await owner.query('select distinct epoch from audit_seal order by 1');
    await owner.end();
    expect(rows).toEqual([{ epoch: 1 }, { epoch: 2 }]);
  });
});
