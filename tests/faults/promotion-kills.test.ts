import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { killsOf } from './support/kills.js';
import { MortalPlatform } from './support/mortal-platform.js';

/** In a full run each of the five steps is struck four times. */
const KILLS = killsOf(20);

jest.setTimeout(240_000 + KILLS * 30_000);

/** The worker dies as soon as the promotion is there; with a pause it has gone on a little by then. */
const STEPS = ['PENDING_CHECKS', 'WAITING_APPROVAL', 'decided', 'APPLIED', 'rolled back'] as const;
type Step = (typeof STEPS)[number];

describe(`promotions while the worker is killed at each step`, () => {
  let platform: MortalPlatform;
  let tenant: string;

  beforeAll(async () => {
    platform = await MortalPlatform.start();
    const [row] = await platform.query<{ id: string }>(
      `update tenant set features = '{"promotion_approval": true}' where code = 'demo' returning id`,
    );
    tenant = row?.id as string;
  });
  afterAll(async () => {
    await platform?.close();
  });

  /** The next version of the model, with a file of its own. */
  async function addVersion(model: string, version: number): Promise<void> {
    const [bytes, key] = [Buffer.from(randomUUID().repeat(1000)), `t/${tenant}/run/${randomUUID()}`];
    await platform.objects.put(key, bytes, bytes.length);
    await platform.query(
      `with m as (
         insert into model (tenant_id, name, last_version) values ($1, $2, $3)
         on conflict (tenant_id, name) do update set last_version = $3 returning id),
       v as (
         insert into model_version (tenant_id, model_id, version, run_id, size_bytes)
         select $1, id, $3, $4, $5 from m returning id)
       insert into model_version_file (tenant_id, version_id, path, size_bytes, sha256, object_key)
       select $1, id, 'model.bin', $5, $6, $7 from v`,
      [
        ...[tenant, model, version, randomUUID().replaceAll('-', ''), bytes.length],
        ...[createHash('sha256').update(bytes).digest('hex'), key],
      ],
    );
  }

  /** For an hour. Its records are expected, and there are none: what is asked of them breaks. */
  const install = (model: string, version: number) =>
    platform.query(
      `with d as (
         insert into edge_device (tenant_id, key, updated_at)
         values ($1, 'cam-' || $3::int, now() - interval '1 hour') returning id, updated_at)
       insert into edge_installed_model (tenant_id, device_id, model_id, version, installed_at)
       select $1, d.id, m.id, $3::int, d.updated_at from d, model m where m.tenant_id = $1 and m.name = $2`,
      [tenant, model, version],
    );

  const strike = async (pauseMs: number): Promise<void> => {
    await sleep(pauseMs);
    await platform.replace('worker');
  };

  /** One promotion from its request to its end, with a kill at one of its steps. */
  async function promote(model: string, version: number, struck: Step): Promise<string> {
    const isRolledBack = struck === 'rolled back';
    const { status, body } = await platform.ask('POST', `/models/${model}/${version}/promote`, {
      ...{ to_version: version, reason: `Struck at ${struck}.` },
      rollback_conditions: isRolledBack ? [{ metric: 'requests', op: '<', value: 1, for: '1m' }] : [],
    });
    expect(status).toBe(201);
    const path = `/promotions/${body.id}`;
    if (struck === 'PENDING_CHECKS') await strike(Math.random() * 300);
    await platform.until(path, (row) => row.status === 'WAITING_APPROVAL');
    if (struck === 'WAITING_APPROVAL') await strike(Math.random() * 100);
    // Somebody else asked for it.
    await platform.query('update promotion set created_by = null where id = $1', [body.id]);
    if (struck === 'decided') await platform.kill('worker');
    await platform.ask('POST', `${path}/approve`, {});
    if (struck === 'decided') platform.startWorker();
    if (struck === 'APPLIED') await strike(0);
    await platform.until(path, (row) => row.status === 'APPLIED' || row.status === 'ROLLED_BACK');
    if (!isRolledBack) return 'APPLIED';
    await platform.query(
      "update promotion set applied_at = applied_at - interval '2 minutes' where id = $1",
      [body.id],
    );
    await strike(Math.random() * 15_000);
    await platform.until(path, (row) => row.status === 'ROLLED_BACK');
    return 'ROLLED_BACK';
  }

  it('end as they should, applied once each, with one version in Production at any time', async () => {
    const model = 'struck';
    const ends: string[] = [];
    for (let kill = 0; kill < Math.max(KILLS, STEPS.length); kill += 1) {
      await addVersion(model, kill + 1);
      await install(model, kill + 1);
      ends.push(await promote(model, kill + 1, STEPS[kill % STEPS.length] as Step));
    }
    const history = (await platform.ask('GET', `/models/${model}/stage-history`)).body.items.reverse();
    const inProduction = new Set<number>();
    for (const { version, from_stage, to_stage } of history) {
      if (from_stage === 'Production') expect(inProduction.delete(version)).toBe(true);
      if (to_stage === 'Production') inProduction.add(version);
      expect(inProduction.size).toBeLessThanOrEqual(1);
    }
    const applied = history.filter(
      (change: { to_stage: string; actor_name: string | null }) =>
        change.to_stage === 'Production' && change.actor_name !== null,
    );
    expect(applied.length).toBe(ends.length);
    expect(new Set(applied.map((change: { promotion_id: string }) => change.promotion_id)).size).toBe(
      ends.length,
    );
    const rows = await platform.query<{ version: number }>(
      "select version from model_version where stage = 'Production'",
    );
    expect(rows.map(({ version }) => version)).toEqual([...inProduction]);
    expect(
      await platform.query("select 1 from promotion where status not in ('APPLIED', 'ROLLED_BACK')"),
    ).toEqual([]);
  });
});
