import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createWorkflowEngine, type ManagedWorkflowEngine } from '../../activities/adapters/temporal/temporal-workflow-engine.js';
import { blobKey } from '../../models/images/image.types.js';
import { Database } from '../../models/orm/database.js';
import { listTenantTables } from '../../models/tenants/erasure-tables.repository.js';
import { MortalPlatform } from './support/mortal-platform.js';

const KILLS = Number(process.env.ERASURE_KILLS ?? 8);
const AT_ONCE = 3;
const TENANTS = '/settings/tenants';
const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

jest.setTimeout(120_000 + KILLS * 15_000);

/** API and worker die by kill -9 at random moments while tenants are erased; whoever asks asks again. */
describe('the deletion of tenants while processes are killed', () => {
  let platform: MortalPlatform;
  let database: Database;
  let engine: ManagedWorkflowEngine;
  const shared = randomBytes(4000);
  let isEnded = false;

  beforeAll(async () => {
    platform = await MortalPlatform.start();
    const { database: clone } = platform.made;
    database = await Database.open({ appUrl: clone.appUrl, platformUrl: clone.platformUrl, appPool: 2, platformPool: 4, applicationName: 'test' });
    engine = createWorkflowEngine({ address: platform.env.TEMPORAL_ADDRESS as string, namespace: platform.env.TEMPORAL_NAMESPACE as string });
  });
  afterAll(async () => {
    isEnded = true;
    await Promise.all([engine?.close(), database?.close()]);
    await platform?.close();
  });

  it('leaves no residue, repeats no step and counts everything once', async () => {
    const kept = await plant('kept');
    const before = await fingerprint(kept);
    const seen = { kills: { api: 0, worker: 0 }, deletions: 0, runs: 0 };
    const isOver = () => seen.kills.api + seen.kills.worker >= KILLS;
    const startedAt = Date.now();
    const killer = (async () => {
      while (!isOver()) {
        await sleep(800 + Math.random() * 4500);
        if (isEnded) return;
        const victim = Math.random() < 0.25 ? 'api' : 'worker';
        // Its next death comes after it has answered, or a busy machine would never have an API.
        await platform.replace(victim);
        seen.kills[victim] += 1;
      }
    })();
    let number = 0;
    const lane = async () => {
      do {
        number += 1;
        const runs = await eraseOne(`gone-${number}`);
        seen.runs += runs;
        seen.deletions += 1;
      } while (!isOver());
    };
    await Promise.all([killer, ...Array.from({ length: AT_ONCE }, lane)]);
    expect(await fingerprint(kept)).toEqual(before);
    expect(seen.runs).toBeGreaterThan(seen.deletions * 9);
    const report = { ...seen, seconds: Math.round((Date.now() - startedAt) / 1000) };
    if (process.env.ERASURE_REPORT) writeFileSync(process.env.ERASURE_REPORT, `${JSON.stringify(report)}\n`);
  });

  /** @returns how often its steps were begun */
  async function eraseOne(code: string): Promise<number> {
    const tenantId = await plant(code);
    const { counts } = (await platform.ask('GET', `${TENANTS}/${tenantId}/deletion-preview`)).body;
    expect(counts).toMatchObject({ objects: 64, images: 0, workflow_histories: 6 });
    const asked = await platform.ask('POST', `${TENANTS}/${tenantId}/deletion`, { confirm_code: code });
    const id = asked.status === 409 ? asked.body.detail.deletion_id : asked.body.id;
    const done = await platform.until(`${TENANTS}/deletions/${id}`, ({ status }) => status === 'done' || status === 'failed', 300_000);
    expect([done.status, done.status_message]).toEqual(['done', '']);
    expect(done.counts).toEqual(counts);
    expect(done.certificate.removed).toEqual(counts);
    const finished = (done.log as Array<{ step: string | null; message: string }>)
      .filter((line) => line.step !== null && line.message.startsWith('Done.'))
      .map((line) => line.step);
    expect(finished).toEqual(done.steps.map((step: { key: string }) => step.key));
    expect(await fingerprint(tenantId)).toEqual({});
    return (done.steps as Array<{ runs: number }>).reduce((sum, step) => sum + step.runs, 0);
  }

  /** Rows of tables with and without an index by tenant, sealed and unsealed audit, objects, unfinished uploads, blobs of its own and a shared one, histories. */
  async function plant(code: string): Promise<string> {
    const rows = await database.inPlatform((tx) => tx.query<{ id: string }>('insert into tenant (code, name) values ($1, $1) returning id', [code]));
    const { id } = rows[0] as { id: string };
    const blobs = [shared, ...Array.from({ length: 25 }, () => randomBytes(200))];
    await database.inPlatform(async (tx) => {
      const [dataset] = await tx.query<{ id: string }>("insert into dataset (tenant_id, key, name) values ($1::uuid, 'd', 'd') returning id", [id]);
      await tx.execute(
        `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, added_revision)
         select $1::uuid, $2::uuid, 'f' || n, repeat('0', 64), 1, 'x', 'text/plain', 'other', 1 from generate_series(1, 12000) n`,
        [id, dataset?.id],
      );
      await tx.execute('insert into metric_point (run, key, step, ts, value, tenant_id) select hashtext($1::text), 1, n, n, n, $1::uuid from generate_series(1, 6000) n', [id]);
      await tx.execute('insert into activity_effect (workflow_id, activity_id, tenant_id) select $1::text, n::text, $1::uuid from generate_series(1, 6000) n', [id]);
      await tx.execute("insert into audit_entry (tenant_id, action, target_kind, target_id) select $1::uuid, 'x', 'x', n::text from generate_series(1, 3000) n", [id]);
      await tx.execute('insert into image_blob (tenant_id, digest, size_bytes) select $1::uuid, digest, 1 from unnest($2::text[]) as d (digest)', [id, blobs.map(sha256)]);
    });
    await Promise.all([
      ...blobs.map((bytes) => platform.objects.put(blobKey(sha256(bytes)), bytes, bytes.length)),
      ...Array.from({ length: 60 }, (_, n) => platform.objects.put(`t/${id}/dataset/${n}`, Buffer.from('x'), 1)),
      ...Array.from({ length: 4 }, (_, n) => platform.objects.createMultipart(`t/${id}/dataset/open-${n}`)),
      ...Array.from({ length: 6 }, (_, n) => engine.start({ workflowType: 'probe', workflowId: `probe:${id}:${n}:1`, taskQueue: 'nobody-polls', input: {}, tenantId: id })),
    ]);
    for (let left = 40; left > 0 && (await histories(id)) < 6; left -= 1) await sleep(250);
    return id;
  }

  const histories = async (tenantId: string) => (await engine.client.workflow.count(`TenantId = "${tenantId}"`)).count;

  /** Everything that a tenant has anywhere; what it has none of is left out. */
  async function fingerprint(tenantId: string): Promise<Record<string, string | number>> {
    const found: Record<string, string | number> = {};
    await database.inPlatform(async (tx) => {
      for (const { name } of (await listTenantTables(tx)).filter((table) => table.name !== 'audit_count')) {
        const [row] = await tx.query<{ n: number; digest: string }>(
          `select count(*) as n, md5(string_agg(r::text, '|' order by r::text)) as digest from ${name} r where tenant_id = $1`,
          [tenantId],
        );
        if (row && row.n > 0) found[name] = row.digest;
      }
      if ((await tx.query('select 1 from tenant where id = $1', [tenantId])).length > 0) found.tenant = 1;
    });
    const keys: string[] = [];
    for await (const { key, etag } of platform.objects.list(`t/${tenantId}/`)) keys.push(`${key} ${etag}`);
    for await (const { key } of platform.objects.listUnfinished(`t/${tenantId}/`)) keys.push(key);
    if (keys.length > 0) found.objects = keys.sort().join('|');
    if ((await histories(tenantId)) > 0) found.histories = await histories(tenantId);
    if ((await platform.objects.head(blobKey(sha256(shared)))) === null) found.lostBlob = 1;
    return found;
  }
});
