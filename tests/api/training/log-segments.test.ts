import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createOutcomeActivities } from '../../../activities/training/outcome.activities.js';
import { copyOfAttempt } from '../../../activities/training/training-log.js';
import { createTrainingMaintenance } from '../../../activities/training/training-housekeeping.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { createLogger } from '../../../core/logging/logger.js';
import { asTenantId } from '../../../core/security/ids.js';
import { attemptLog } from '../../../models/training/logs/attempt-log.queries.js';
import { readLog } from '../../../models/workloads/logs/log-reader.js';
import { until } from '../../adapters/process/workload-waits.js';
import { lines, printedLog } from '../support/long-log.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { EXPERIMENT_FACTORY } from './support/training-factories.js';

const MIB = 2 ** 20;
const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('a long log', () => {
  let api: TestApi;
  let objects: ManagedObjectStore;
  let tenant: TestTenant;
  let user: TestUser;
  const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));

  beforeAll(async () => {
    api = await startTestApi();
    objects = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await objects?.close();
    await api?.close();
  });

  /** An attempt that prints what the test writes. */
  async function attempt(store: ObjectStore = objects) {
    const canary = `c${randomUUID().slice(0, 8)}`;
    const made = await EXPERIMENT_FACTORY.create({ api, tenant, user, canary });
    const ref = { tenantId: tenant.id, experimentId: made.experiment_id as string, attempt: 1 };
    const { print, read } = printedLog(mkdtempSync(join(folder, 'job-')));
    const tail = () =>
      copyOfAttempt(
        {
          database: api.container.db,
          objects: store,
          events: { publish: () => undefined } as never,
          logger,
          runner: { readLog: (_id, offset, maxBytes) => read(offset, maxBytes) },
        },
        ref,
      );
    const stored = async () => buffer(readLog({ database: api.container.db, objects }, attemptLog(ref)));
    return { ref, run: made.run_id as string, tail, stored, print };
  }

  const rowsOf = (experimentId: string) =>
    api.container.db.inPlatform(async (tx) => {
      const [row] = await tx.query<{ rows: number; bytes: number; largest: number; segments: number[] }>(
        `select count(*)::int as rows, coalesce(sum(octet_length(text)), 0)::int as bytes,
           coalesce(max(octet_length(text)), 0)::int as largest,
           (select coalesce(json_agg(size_bytes order by from_byte), '[]') from log_segment
             where experiment_id = $1) as segments
         from log_chunk where experiment_id = $1`,
        [experimentId],
      );
      return row as { rows: number; bytes: number; largest: number; segments: number[] };
    });

  it('lies in segments of 1 to 4 MiB and at most 2 MiB of rows, and is read whole', async () => {
    const { ref, tail, stored, print } = await attempt();
    const text = lines(60_000);
    print(text);
    await tail().pump(true);
    const kept = await rowsOf(ref.experimentId);
    expect(kept.bytes).toBeLessThanOrEqual(2 * MIB);
    expect(kept.segments.length).toBeGreaterThanOrEqual(3);
    for (const size of kept.segments) {
      expect(size).toBeGreaterThanOrEqual(MIB);
      expect(size).toBeLessThanOrEqual(4 * MIB);
    }
    expect((await stored()).equals(Buffer.from(text))).toBe(true);
    const answer = await api.call('GET', `/api/v1/training/experiments/${ref.experimentId}/log`, {
      token: user.token,
      tenant: tenant.code,
    });
    expect(answer.status).toBe(200);
    expect(Buffer.from(answer.text).equals(Buffer.from(text))).toBe(true);
  });

  it('is copied on while the store answers nothing, and is sealed once it does', async () => {
    const asked: Array<() => void> = [];
    const silent: ObjectStore = {
      ...objects,
      put: (...given) =>
        new Promise<void>((resolve) => asked.push(resolve)).then(() => objects.put(...given)),
    };
    const { ref, tail, stored, print } = await attempt(silent);
    const text = lines(30_000);
    print(text);
    const follower = tail();
    await follower.pump(true);
    expect(asked.length).toBe(1);
    expect(await rowsOf(ref.experimentId)).toMatchObject({ bytes: Buffer.byteLength(text), segments: [] });
    await until('the seal', async () => {
      for (const answer of asked.splice(0)) answer();
      return (await rowsOf(ref.experimentId)).bytes <= 2 * MIB;
    });
    expect((await stored()).equals(Buffer.from(text))).toBe(true);
  });

  it('is read by ranges while it grows, across segments and rows', async () => {
    const { ref, tail, print } = await attempt();
    const text = Buffer.from(lines(60_000));
    print(text.toString());
    const follower = tail();
    await follower.pump(true);
    const { segments, bytes } = await rowsOf(ref.experimentId);
    const inRows = text.length - bytes;
    const read = async (range: string) => {
      const answer = await fetch(`${api.base}/api/v1/training/experiments/${ref.experimentId}/log`, {
        headers: { authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code, range: `bytes=${range}` },
      });
      return {
        ...{ status: answer.status, part: answer.headers.get('content-range') },
        body: Buffer.from(await answer.arrayBuffer()),
      };
    };
    for (const [start, end] of [
      [0, 99],
      [100, 100],
      [(segments[0] as number) - 50, (segments[0] as number) + 49],
      [inRows - 10, inRows + 10],
      [inRows + 70_000, inRows + 140_000],
      [0, text.length - 1],
    ] as const) {
      const { status, part, body } = await read(`${start}-${end}`);
      expect([status, part]).toEqual([206, `bytes ${start}-${end}/${text.length}`]);
      expect(body.equals(text.subarray(start, end + 1))).toBe(true);
    }
    expect((await read('-100')).body.equals(text.subarray(-100))).toBe(true);
    expect(await read(`${text.length}-`)).toMatchObject({ status: 416, part: `bytes */${text.length}` });
    print(lines(10, 60_000));
    await follower.pump(true);
    expect((await read(`${text.length}-`)).body.toString()).toBe(lines(10, 60_000));
  });

  it('is one row of at most 64 KiB while little comes', async () => {
    const { ref, tail, stored, print } = await attempt();
    const follower = tail();
    for (let at = 0; at < 40; at += 1) {
      print(lines(1, at));
      await follower.pump(true);
    }
    expect(await rowsOf(ref.experimentId)).toMatchObject({ rows: 1, segments: [] });
    print(lines(1_000, 40));
    await follower.pump(true);
    expect((await rowsOf(ref.experimentId)).largest).toBeLessThanOrEqual(64 * 1024);
    expect((await stored()).toString()).toBe(lines(1_040));
  });

  it('is stored once when several follow it, and goes on where a killed one stopped', async () => {
    const { ref, tail, stored, print } = await attempt();
    print(lines(40_000));
    await Promise.all([tail().pump(true), tail().pump(true), tail().pump(true)]);
    print(lines(20_000, 40_000));
    await Promise.all([tail().pump(true), tail().pump(true)]);
    expect((await stored()).equals(Buffer.from(lines(60_000)))).toBe(true);
    const { segments } = await rowsOf(ref.experimentId);
    const held = [];
    for await (const { key } of objects.list(`t/${tenant.id}/log/`)) held.push(key);
    const known = await api.container.db.inPlatform((tx) =>
      tx.query<{ object_key: string }>(
        'select object_key from log_segment where tenant_id = $1 union select object_key from orphaned_object where tenant_id = $1',
        [tenant.id],
      ),
    );
    expect(held.filter((key) => !known.some((row) => row.object_key === key))).toEqual([]);
    expect(segments.length).toBeGreaterThanOrEqual(3);
  });

  it('goes with its experiment, objects and all', async () => {
    const { ref, run, tail, print } = await attempt();
    print(lines(40_000));
    await tail().pump(true);
    const keys = await api.container.db.inPlatform(async (tx) => {
      await tx.execute("update training_experiment set status = 'FAILED' where id = $1", [ref.experimentId]);
      await tx.execute("update tracker_run set status = 'FAILED', finished_at = now() where run_id = $1", [
        run,
      ]);
      return tx.query<{ object_key: string }>('select object_key from log_segment where experiment_id = $1', [
        ref.experimentId,
      ]);
    });
    expect(keys.length).toBeGreaterThanOrEqual(1);
    const { status } = await api.call('DELETE', `/api/v1/training/experiments/${ref.experimentId}`, {
      token: user.token,
      tenant: tenant.code,
    });
    expect(status).toBe(200);
    const due = await api.container.db.inPlatform((tx) =>
      tx.query('select 1 from orphaned_object where object_key = any($1) and due_at <= now()', [
        keys.map((row) => row.object_key),
      ]),
    );
    expect(due).toHaveLength(keys.length);
  });

  it('becomes a file of its run, after which segments and rows go with their objects', async () => {
    const { ref, run, tail, stored, print } = await attempt();
    const text = lines(50_000);
    print(text);
    await tail().pump(true);
    const { db: database } = api.container;
    const outcome = createOutcomeActivities({
      database,
      objects,
      events: { publish: () => undefined } as never,
    });
    await new MockActivityEnvironment().run(outcome.storeAttemptLog, ref);
    const [file] = await database.inPlatform((tx) =>
      tx.query<{ object_key: string; size_bytes: string }>(
        "select a.object_key, a.size_bytes from run_artifact a join tracker_run r on r.id = a.run where r.run_id = $1 and a.path = 'logs/train.log'",
        [run],
      ),
    );
    expect(Number(file?.size_bytes)).toBe(Buffer.byteLength(text));
    expect((await buffer(await objects.get(file?.object_key as string))).equals(Buffer.from(text))).toBe(
      true,
    );
    await database.inPlatform((tx) =>
      tx.execute("update tracker_run set finished_at = now() - interval '2 hours' where run_id = $1", [run]),
    );
    for (const task of createTrainingMaintenance({ database, clock: { now: () => new Date() } as never }))
      await task.run(new AbortController().signal);
    expect(await rowsOf(ref.experimentId)).toEqual({ rows: 0, bytes: 0, largest: 0, segments: [] });
    expect((await stored()).length).toBe(0);
    const due = await database.inTenant(asTenantId(tenant.id), (tx) =>
      tx.query("select 1 from orphaned_object where object_key like '%/log/%' and due_at <= now()"),
    );
    expect(due.length).toBeGreaterThanOrEqual(2);
  });
});
