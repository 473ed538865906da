import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { removeTelemetryBatches } from '../../../models/edge/telemetry-batches.sql.js';
import { createTelemetryWriter, type TelemetryWriter } from '../../../models/edge/device-writers.platform.js';
import { writeTelemetry } from '../../../models/edge/telemetry-write.sql.js';
import type { NewTelemetryBatch } from '../../../models/edge/telemetry-write.types.js';
import { isCommitInDoubt } from '../../../models/orm/errors.js';
import { Database } from '../../../models/orm/in-tenant.js';
import { IngestDatabase } from '../../../models/orm/ingest-database.js';
import type { Transaction } from '../../../models/orm/transaction.js';
import { createPartitionsAhead } from '../../../models/system/time-partitions.sql.js';
import { testDatabase, type TestDatabase } from '../../setup/engines.js';

describe('the writer of telemetry', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let db: Database;
  let ingest: IngestDatabase;
  let writer: TelemetryWriter;
  let a: TenantId;
  let b: TenantId;

  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 2,
      applicationName: 'test',
    });
    ingest = await IngestDatabase.open({ url: clone.ingestUrl, pool: 2, applicationName: 'test-ingest' });
    [a, b] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
  });
  beforeEach(() => {
    writer = createTelemetryWriter(ingest, 2);
  });
  afterEach(async () => {
    await writer.close();
    await owner.query('truncate telemetry, telemetry_batch');
  });
  afterAll(async () => {
    await ingest.close();
    await db.close();
    await owner.end();
    await clone.drop();
  });

  const batch = (over: Partial<NewTelemetryBatch> = {}, records = 3): NewTelemetryBatch => ({
    tenantId: a,
    device: 1,
    key: randomUUID(),
    keptDays: 30,
    records: Array.from({ length: records }, (_, n) => ({
      kind: 'temperature',
      ts: n === 0 ? null : new Date('1970-01-01T00:00:00Z'),
      data: JSON.stringify({ n, text: 'é "quoted" \\ {}, null' }),
    })),
    ...over,
  });
  const rowsOf = (tenantId: TenantId) =>
    db.inTenant(tenantId, (tx) =>
      tx.kysely.selectFrom('telemetry').selectAll().orderBy('device').orderBy('id').execute(),
    );
  const count = async (table = 'telemetry') =>
    Number((await owner.query(`select count(*) as n from ${table}`)).rows[0].n);
  const writing = async (state: string) =>
    (
      await owner.query(
        `select pid from pg_stat_activity where application_name = 'test-ingest' and datname = current_database() and ${state}`,
      )
    ).rows.map(({ pid }) => pid as number);

  it('stores batches of several tenants in one transaction, each seen by its tenant alone', async () => {
    const answers = await Promise.all([
      writer.write(batch()),
      writer.write(batch({ tenantId: b, device: 2, keptDays: 0 }, 2)),
      writer.write(batch({ device: 3, keptDays: 7 }, 1)),
      writer.write(batch({ device: 4 }, 0)),
    ]);
    expect(answers.map(({ records, isRepeat }) => [records, isRepeat])).toEqual(
      [3, 2, 1, 0].map((records) => [records, false]),
    );
    expect((await owner.query('select distinct xmin::text from telemetry')).rows).toHaveLength(1);
    const mine = await rowsOf(a);
    expect(mine.map(({ device, keptDays }) => [device, keptDays])).toEqual([
      [1, 30],
      [1, 30],
      [1, 30],
      [3, 7],
    ]);
    expect(mine[0]).toMatchObject({ tenantId: a, kind: 'temperature', ts: mine[0]?.receivedAt });
    expect(mine[1]?.data).toEqual({ n: 1, text: 'é "quoted" \\ {}, null' });
    expect(mine[1]?.ts).toEqual(new Date(0));
    expect(mine[0]?.receivedAt).toEqual(answers[0]?.receivedAt);
    expect((await rowsOf(b)).map(({ device }) => device)).toEqual([2, 2]);
  });

  it('answers a repeat as the first, however they meet, and stores it once', async () => {
    const other = createTelemetryWriter(ingest, 1);
    const one = batch();
    const answers = await Promise.all([
      writer.write(one),
      writer.write(batch({ device: 2 })),
      writer.write(one),
      other.write(one),
    ]);
    const again = await writer.write({ ...one, records: [] });
    await other.close();
    const repeats = [answers[0], answers[2], answers[3], again];
    expect(repeats.filter((answer) => answer?.isRepeat)).toHaveLength(3);
    expect(
      new Set(repeats.map((answer) => `${answer?.receivedAt.toISOString()} ${answer?.records}`)).size,
    ).toBe(1);
    expect(await count()).toBe(6);
    expect((await writer.write({ ...one, device: 9 })).isRepeat).toBe(false);
  });

  it('takes a key for new after 48 hours, before and after old batches were removed', async () => {
    const [one, two] = [batch(), batch({ device: 2 })];
    await Promise.all([writer.write(one), writer.write(two)]);
    const age = (interval: string) =>
      owner.query(`update telemetry_batch set received_at = now() - interval '${interval}'`);
    await age('47 hours 59 minutes');
    expect((await writer.write(one)).isRepeat).toBe(true);
    expect(await db.inPlatform(removeTelemetryBatches)).toBe(0);
    await age('48 hours 1 second');
    expect((await writer.write(one)).isRepeat).toBe(false);
    expect(await db.inPlatform(removeTelemetryBatches)).toBe(1);
    expect([(await writer.write(one)).isRepeat, (await writer.write(two)).isRepeat]).toEqual([true, false]);
    expect(await count()).toBe(12);
  });

  it('answers a repeat with 503 whose first is removed meanwhile, and stores the next', async () => {
    const one = batch();
    await writer.write(one);
    const removing = {
      rows: async (sql: string, params: readonly unknown[]) => {
        const rows = await owner.query(sql, [...params]);
        await owner.query('delete from telemetry_batch');
        return rows.rows;
      },
    };
    await expect(writeTelemetry(removing as unknown as Transaction, [one])).rejects.toMatchObject({
      ...{ code: 'service_unavailable', options: { retryAfterS: 1 } },
    });
    expect((await writer.write(one)).isRepeat).toBe(false);
  });

  it('fails a batch with 503 alone whose day has no partition yet', async () => {
    const [{ name } = { name: '' }] = (
      await owner.query<{ name: string }>(
        "select 'telemetry_90_' || to_char(now() at time zone 'UTC', 'YYYY_MM_DD') as name",
      )
    ).rows;
    await owner.query(`alter table telemetry_90 detach partition ${name}`);
    const ends = await Promise.allSettled(
      [batch(), batch({ device: 2, keptDays: 90 }), batch({ device: 3 })].map((each) => writer.write(each)),
    );
    await owner.query(`drop table ${name}`);
    await db.inPlatform(createPartitionsAhead);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((ends[1] as PromiseRejectedResult).reason).toMatchObject({
      ...{ code: 'service_unavailable', options: { retryAfterS: 60 } },
    });
    expect((await writer.write(batch({ device: 2, keptDays: 90 }))).records).toBe(3);
  });

  it('fails a batch that cannot be stored alone', async () => {
    const bad = batch({ records: [{ kind: 'k', ts: null, data: '{"text":"\\u0000"}' }] });
    const ends = await Promise.allSettled(
      [batch(), bad, batch({ device: 3 })].map((each) => writer.write(each)),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((ends[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'unprocessable_entity' });
    expect([await count(), await count('telemetry_batch')]).toEqual([6, 2]);
  });

  it('answers nobody before the commit, and a connection that is lost with 503; the repeat is stored once', async () => {
    await owner.query('begin; lock table telemetry in access exclusive mode');
    const one = batch();
    let isAnswered = false;
    const written = writer.write(one).finally(() => {
      isAnswered = true;
    });
    written.catch(() => undefined);
    const watcher = new pg.Client({ connectionString: clone.ownerUrl });
    await watcher.connect();
    for (let left = 100; left > 0 && (await writing("wait_event_type = 'Lock'")).length === 0; left -= 1)
      await sleep(20);
    expect(isAnswered).toBe(false);
    for (const pid of await writing("wait_event_type = 'Lock'"))
      await watcher.query('select pg_terminate_backend($1)', [pid]);
    await watcher.end();
    await expect(written).rejects.toMatchObject({ code: 'service_unavailable', options: { retryAfterS: 5 } });
    await owner.query('rollback');
    expect((await writer.write(one)).isRepeat).toBe(false);
    expect(await count()).toBe(3);
  });

  it('answers a commit of which the end is not known with 503', async () => {
    await owner.query(`create function end_me() returns trigger language plpgsql security definer as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
    await owner.query(
      'create constraint trigger doubt after insert on telemetry_batch deferrable initially deferred for each row execute function end_me()',
    );
    const one = batch();
    const error = await writer.write(one).catch((reason: unknown) => reason);
    expect([isCommitInDoubt(error), await count()]).toEqual([true, 0]);
    await owner.query('drop trigger doubt on telemetry_batch; drop function end_me()');
    expect((await writer.write(one)).records).toBe(3);
  });

  it('gives its role no way to read or change what is stored', async () => {
    await writer.write(batch());
    const client = new pg.Client({ connectionString: clone.ingestUrl });
    await client.connect();
    for (const sql of [
      'select 1 from telemetry',
      'update telemetry set kind = kind',
      'delete from telemetry',
      'select tenant_id from telemetry_batch',
      'update telemetry_batch set tenant_id = tenant_id',
      'delete from telemetry_batch',
      'select 1 from tenant',
      'select 1 from telemetry_30',
      'select detach_expired_partitions()',
    ])
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    await client.end();
  });
});
