import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { putArtifact } from '../../../models/tracker/artifact.commands.js';
import {
  findArtifact,
  listArtifactLevel,
  listArtifactsBelow,
} from '../../../models/tracker/artifact.queries.js';
import { MetricKeys } from '../../../models/tracker/metric-keys.js';
import { writeBatch } from '../../../models/tracker/run-batch.commands.js';
import { listMetricNames, readSeries } from '../../../models/tracker/metric.queries.js';
import {
  closeRun,
  ensureExperiment,
  insertRun,
  openRunForJob,
} from '../../../models/tracker/run.commands.js';
import { deleteOneRun } from '../../../models/tracker/removal/delete-runs.commands.js';
import { findRun, findRunDetail, listLatestRuns } from '../../../models/tracker/run.queries.js';
import type { MetricPoint, RunBatch } from '../../../models/tracker/run.types.js';
import { testDatabase, type TestDatabase } from '../../setup/engines.js';

const newRunId = () => randomBytes(16).toString('hex');
const batch = (over: Partial<RunBatch>): RunBatch => ({ metrics: [], params: [], tags: [], ...over });
const points = (key: string, values: number[]): MetricPoint[] =>
  values.map((value, step) => ({ key, step, ts: 1000 + step, value }));

describe('tracker rows', () => {
  let clone: TestDatabase;
  let database: Database;
  let ours: TenantId;
  let theirs: TenantId;
  const keys = new MetricKeys();

  beforeAll(async () => {
    clone = await testDatabase();
    database = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 4,
      platformPool: 2,
      applicationName: 'test',
    });
    ours = await newTenant('ours');
    theirs = await newTenant('theirs');
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const newTenant = async (code: string): Promise<TenantId> => {
    const id = asTenantId(randomUUID());
    await database.inPlatform((tx) =>
      tx.execute('insert into tenant (id, code, name) values ($1, $2, $2)', [id, code]),
    );
    return id;
  };
  const newRun = (tenant: TenantId) =>
    database.inTenant(tenant, async (tx) => {
      const runId = newRunId();
      await insertRun(tx, {
        runId,
        experiment: await ensureExperiment(tx, 'default', 'digits', null),
        name: 'run',
        status: 'RUNNING',
        training: null,
        createdBy: null,
      });
      return (await findRun(tx, runId)) as NonNullable<Awaited<ReturnType<typeof findRun>>>;
    });
  const write = (tenant: TenantId, runId: string, over: Partial<RunBatch>) =>
    database.inTenant(tenant, (tx) => writeBatch(tx, keys, runId, batch(over)));

  it('keeps every point, the latest value of each metric, params once and tags as last set', async () => {
    const run = await newRun(ours);
    const body = {
      metrics: [...points('train/loss', [3, 2, 1]), ...points('bad', [Number.NaN])],
      params: [{ key: 'lr', value: '0.1' }],
      tags: [{ key: 'who', value: 'a' }],
    };
    await write(ours, run.runId, body);
    await write(ours, run.runId, body);
    await write(ours, run.runId, {
      metrics: [{ key: 'train/loss', step: 1, ts: 9999, value: 7 }],
      tags: [{ key: 'who', value: 'b' }],
    });
    const detail = await database.inTenant(ours, (tx) => findRunDetail(tx, run.runId));
    expect(detail).toMatchObject({
      params: { lr: '0.1' },
      tags: { who: 'b' },
      metrics: { 'train/loss': 1, bad: Number.NaN },
    });
    const series = await database.inTenant(ours, (tx) =>
      readSeries(tx, run.row, ['train/loss', 'unknown'], 100),
    );
    expect(series.get('train/loss')?.points.map((point) => [point.step, point.value])).toEqual([
      [0, 3],
      [1, 2],
      [1, 7],
      [2, 1],
    ]);
    expect(series.has('unknown')).toBe(false);
    expect(await database.inTenant(ours, (tx) => listMetricNames(tx, run.row, 10))).toEqual([
      'bad',
      'train/loss',
    ]);
  });

  it('refuses another value for a param and writes nothing of that batch', async () => {
    const run = await newRun(ours);
    await write(ours, run.runId, { params: [{ key: 'lr', value: '0.1' }] });
    await expect(
      write(ours, run.runId, { params: [{ key: 'lr', value: '0.2' }], tags: [{ key: 'new', value: 'x' }] }),
    ).rejects.toMatchObject({ code: 'bad_request' });
    expect(await database.inTenant(ours, (tx) => findRunDetail(tx, run.runId))).toMatchObject({
      params: { lr: '0.1' },
      tags: {},
    });
  });

  it('takes batches for one run from many callers at once', async () => {
    const run = await newRun(ours);
    await Promise.all(
      Array.from({ length: 8 }, (_, caller) =>
        write(ours, run.runId, {
          metrics: Array.from({ length: 50 }, (_unused, i) => ({
            key: `m${(i * 7 + caller) % 50}`,
            step: caller,
            ts: caller,
            value: caller,
          })),
        }),
      ),
    );
    const detail = await database.inTenant(ours, (tx) => findRunDetail(tx, run.runId));
    expect(new Set(Object.values(detail?.metrics ?? {}))).toEqual(new Set([7]));
  });

  it('reduces a long series in the database and keeps its peak', async () => {
    const run = await newRun(ours);
    for (let part = 0; part < 5; part += 1)
      await write(ours, run.runId, {
        metrics: Array.from({ length: 1000 }, (_, i) => ({
          key: 'long',
          step: part * 1000 + i,
          ts: i,
          value: part === 3 && i === 333 ? 99 : Math.sin(i),
        })),
      });
    const series = (await database.inTenant(ours, (tx) => readSeries(tx, run.row, ['long'], 200))).get(
      'long',
    );
    const found = series?.points ?? [];
    expect(series?.total).toBe(5000);
    expect(found.length).toBeGreaterThan(150);
    expect(found.length).toBeLessThanOrEqual(200);
    expect(found).toContainEqual({ step: 3333, ts: 333, value: 99 });
    expect(found.map((point) => point.step)).toEqual(found.map((point) => point.step).sort((a, b) => a - b));
  });

  it('keeps of each range first, last, least, greatest and every NaN', async () => {
    const run = await newRun(ours);
    const value = (step: number) => (step % 400 === 7 ? Number.NaN : step === 500 ? -5 : step % 50);
    await write(ours, run.runId, {
      metrics: Array.from({ length: 1000 }, (_, step) => ({ key: 'k', step, ts: step, value: value(step) })),
    });
    await write(ours, run.runId, { metrics: [{ key: 'k', step: 999, ts: 5000, value: 3 }] });
    const found = await database.inTenant(ours, (tx) => readSeries(tx, run.row, ['k'], 8));
    expect(found.get('k')?.total).toBe(1001);
    expect(found.get('k')?.points.map(({ step, value: kept }) => [step, kept])).toEqual([
      [0, 0],
      [7, Number.NaN],
      [49, 49],
      [407, Number.NaN],
      [499, 49],
      [500, -5],
      [549, 49],
      [807, Number.NaN],
      [999, 3],
    ]);
    const flat = await newRun(ours);
    const peaks = new Map([
      [321, 50],
      [700, Number.NaN],
    ]);
    await write(ours, flat.runId, {
      metrics: Array.from({ length: 1000 }, (_, at) => ({
        ...{ key: 'k', step: 3, ts: 10_000 + at, value: peaks.get(at) ?? Math.sin(at) },
      })),
    });
    const even = (await database.inTenant(ours, (tx) => readSeries(tx, flat.row, ['k'], 200))).get('k');
    expect(even?.total).toBe(1000);
    expect(even?.points.length).toBeGreaterThan(150);
    expect(even?.points.length).toBeLessThanOrEqual(201);
    for (const [at, value] of peaks) expect(even?.points).toContainEqual({ step: 3, ts: 10_000 + at, value });
    expect(even?.points.map(({ ts }) => ts)).toEqual(even?.points.map(({ ts }) => ts).sort((a, b) => a - b));
    const far = await newRun(ours);
    const ends = [-(2 ** 62), 2 ** 62].map((step) => ({ key: 'k', step, ts: 1, value: 1 }));
    await write(ours, far.runId, {
      metrics: [
        ...ends,
        ...points(
          'k',
          Array.from({ length: 20 }, () => 2),
        ),
      ],
    });
    const wide = (await database.inTenant(ours, (tx) => readSeries(tx, far.row, ['k'], 4))).get('k');
    expect([wide?.total, wide?.points.length]).toEqual([22, 3]);
  });

  it('shows nothing of a run to another tenant and writes nothing into it', async () => {
    const run = await newRun(ours);
    await write(ours, run.runId, { metrics: points('acc', [1]) });
    expect(await database.inTenant(theirs, (tx) => findRun(tx, run.runId))).toBeNull();
    const foreign = { metrics: points('acc', [5, 6, 7]), params: [{ key: 'a', value: 'b' }] };
    await expect(write(theirs, run.runId, foreign)).rejects.toThrow('Run not found.');
    expect((await database.inTenant(theirs, (tx) => readSeries(tx, run.row, ['acc'], 10))).size).toBe(0);
    expect(
      (await database.inTenant(ours, (tx) => readSeries(tx, run.row, ['acc'], 10))).get('acc'),
    ).toMatchObject({ total: 1, points: [{ value: 1 }] });
    expect((await database.inTenant(theirs, (tx) => listLatestRuns(tx, 10))).total).toBe(0);
    const count = await database.inTenant(theirs, (tx) =>
      tx.query<{ n: number }>(
        'select (select count(*) from metric_point) + (select count(*) from param) + (select count(*) from metric_latest) as n',
      ),
    );
    expect(count[0]?.n).toBe(0);
    await expect(
      database.inTenant(theirs, (tx) =>
        tx.execute(
          'insert into metric_point (run, key, step, ts, value, tenant_id) values ($1, 1, 1, 1, 1, $2)',
          [run.row, ours],
        ),
      ),
    ).rejects.toThrow(/row-level security/);
  });

  it('closes a run once, whoever asks again', async () => {
    const run = await newRun(ours);
    // What ended before its training began, does not end it.
    await database.inTenant(ours, (tx) =>
      tx.execute('update tracker_run set finished_at = now() where run_id = $1', [run.runId]),
    );
    await database.inTenant(ours, (tx) => openRunForJob(tx, run.runId));
    expect(await database.inTenant(ours, (tx) => findRun(tx, run.runId))).toMatchObject({ isJobOpen: true });
    await database.inTenant(ours, (tx) => closeRun(tx, run.runId, 'FINISHED'));
    await database.inTenant(ours, (tx) => closeRun(tx, run.runId, 'KILLED'));
    expect(await database.inTenant(ours, (tx) => findRun(tx, run.runId))).toMatchObject({
      isJobOpen: false,
      status: 'FINISHED',
    });
  });

  it('lists artifacts one level at a time and names what a new file replaced', async () => {
    const run = await newRun(ours);
    const put = (path: string, sizeBytes: number, objectKey = randomUUID()) =>
      database.inTenant(ours, (tx) =>
        putArtifact(tx, run.row, { path, sizeBytes, sha256: 'a'.repeat(64), objectKey }),
      );
    await put('metrics.json', 3);
    await put('model/model.onnx', 10);
    await put('model/parts/a', 5);
    await put('model-card.md', 1);
    const first = await database.inTenant(ours, (tx) => findArtifact(tx, run.row, 'metrics.json'));
    expect(await put('metrics.json', 4)).toBe(first?.objectKey);
    const level = (folder: string) =>
      database.inTenant(ours, (tx) => listArtifactLevel(tx, run.row, folder, 100));
    expect((await level('')).items).toEqual([
      { path: 'model', isDir: true, sizeBytes: 15 },
      { path: 'metrics.json', isDir: false, sizeBytes: 4 },
      { path: 'model-card.md', isDir: false, sizeBytes: 1 },
    ]);
    expect((await level('model')).items.map((item) => item.path)).toEqual([
      'model/parts',
      'model/model.onnx',
    ]);
    expect(
      (await database.inTenant(ours, (tx) => listArtifactsBelow(tx, run.row, 'model'))).map(
        (item) => item.path,
      ),
    ).toEqual(['model/model.onnx', 'model/parts/a']);
  });

  it('removes a run with everything that was logged to it', async () => {
    const run = await newRun(ours);
    await write(ours, run.runId, { metrics: points('acc', [1, 2]), params: [{ key: 'a', value: 'b' }] });
    await database.inTenant(ours, async (tx) => {
      await closeRun(tx, run.runId, 'FINISHED');
      await deleteOneRun(tx, SYSTEM_ACTOR, run.runId);
    });
    const owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    const left = await owner.query(
      'select (select count(*) from metric_point where run = $1) + (select count(*) from param where run = $1) + (select count(*) from metric_latest where run = $1) as n',
      [run.row],
    );
    await owner.end();
    expect(Number(left.rows[0].n)).toBe(0);
  });
});
