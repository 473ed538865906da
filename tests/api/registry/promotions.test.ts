import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { PromotionKit } from './support/promotion-kit.js';

jest.setTimeout(120_000);

describe('promotions', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let kit: PromotionKit;
  let approver: TestUser;
  let engineer: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    kit = new PromotionKit(api, tenant);
    approver = await api.addUser({ [tenant.code]: 'APPROVER' });
    engineer = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });
  beforeEach(async () => {
    await kit.feature(false);
    await kit.sql("update tenant set kpi_targets = '{}' where id = $1", [tenant.id]);
  });

  const history = async (model: string) =>
    (await kit.call('GET', `/models/${model}/stage-history`)).body.items.map(
      (each: { version: number; from_stage: string; to_stage: string }) =>
        `${each.version} ${each.from_stage} ${each.to_stage}`,
    );

  it('apply as soon as the checks are green, and archive the former version', async () => {
    await kit.version('first');
    await kit.version('first');
    const asked = await kit.promote('first', 1, { scope: 'Site A' });
    expect([asked.status, asked.body]).toEqual([
      201,
      expect.objectContaining({
        ...{ model_name: 'first', to_version: 1, reason: 'It is better.', scope: 'Site A' },
        ...{ status: 'PENDING_CHECKS', decision: null, created_by: api.admin.id },
      }),
    ]);
    const one = await kit.reach(asked.body.id, 'APPLIED');
    expect(one).toMatchObject({ requires_approval: false, previous_version: null, watched: false });
    expect(
      one.checks.map((check: { key: string; result: string }) => `${check.key} ${check.result}`),
    ).toEqual(['version passed', 'artifact passed', 'stage passed', 'smoke_kpi skipped']);
    const two = await kit.apply('first', 2);
    expect(two.previous_version).toBe(1);
    expect(await kit.production('first')).toEqual([2]);
    expect(await history('first')).toEqual([
      '2 None Production',
      '1 Production Archived',
      '1 None Production',
    ]);
    const [change] = (await kit.call('GET', '/models/first/stage-history')).body.items;
    expect(change).toMatchObject({ reason: 'It is better.', actor_id: api.admin.id, promotion_id: two.id });
  });

  it('tell who was in Production at a time', async () => {
    const at = async (time: string) =>
      (await kit.call('GET', `/models/first/stage-history?at=${encodeURIComponent(time)}`)).body;
    const [second, , one] = (await kit.call('GET', '/models/first/stage-history')).body.items;
    expect((await at(second.at)).production).toEqual({ version: 2, since: second.at });
    const before = new Date(Date.parse(second.at) - 500).toISOString();
    if (before > one.at) expect((await at(before)).production?.version).toBe(1);
    expect(await at('2020-01-01')).toMatchObject({ production: null, items: [], total: 0 });
    expect((await kit.call('GET', '/models/first/stage-history?at=soon')).status).toBe(422);
    expect((await kit.call('GET', '/models/nobody/stage-history')).status).toBe(404);
  });

  it('are approved by a second person where the tenant asks for it', async () => {
    await kit.feature(true);
    await kit.version('asked');
    const { body } = await kit.promote('asked', 1);
    const waiting = await kit.reach(body.id, 'WAITING_APPROVAL');
    const days = (Date.parse(waiting.expires_at) - Date.now()) / 86_400_000;
    expect([waiting.requires_approval, days > 6.9 && days <= 7]).toEqual([true, true]);
    const decide = (what: string, token: string, json: object = {}) =>
      kit.call('POST', `/promotions/${body.id}/${what}`, { token, json });
    expect((await decide('approve', api.admin.token)).status).toBe(403);
    expect((await decide('approve', engineer.token)).status).toBe(403);
    const approved = await decide('approve', approver.token, { comment: 'Looked at it.' });
    expect([approved.status, approved.body]).toEqual([
      200,
      expect.objectContaining({
        status: 'APPLIED',
        decision: expect.objectContaining({
          ...{ decision: 'approve', comment: 'Looked at it.', decided_by: approver.id },
        }),
      }),
    ]);
    const [change] = (await kit.call('GET', '/models/asked/stage-history')).body.items;
    expect(change.actor_id).toBe(approver.id);
    expect((await decide('approve', approver.token)).status).toBe(409);
    expect((await decide('reject', approver.token)).status).toBe(409);
    const kinds = await kit.sql<{ kind: string }>(
      "select distinct kind from notification where tenant_id = $1 and kind like 'promotion%' order by 1",
      [tenant.id],
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['promotion_decided', 'promotion_requested']);
  });

  it('are rejected, also by whoever requested them, and can be requested again', async () => {
    await kit.feature(true);
    await kit.version('rejected');
    for (const token of [approver.token, api.admin.token]) {
      const { body } = await kit.promote('rejected', 1);
      await kit.reach(body.id, 'WAITING_APPROVAL');
      const again = await kit.promote('rejected', 1);
      expect([again.status, again.body.message]).toEqual([409, expect.stringContaining('under way')]);
      const path = `/promotions/${body.id}/reject`;
      const rejected = await kit.call('POST', path, { token, json: { comment: 'Too slow.' } });
      expect([rejected.body.status, rejected.body.status_message]).toEqual([
        'REJECTED',
        expect.stringContaining('Too slow.'),
      ]);
    }
    expect(await kit.production('rejected')).toEqual([]);
    expect(await history('rejected')).toEqual([]);
  });

  it('expire when nobody approves them in time', async () => {
    await kit.feature(true);
    await kit.version('late');
    const { body } = await kit.promote('late', 1);
    await kit.reach(body.id, 'WAITING_APPROVAL');
    await kit.sql("update promotion set expires_at = now() - interval '1 second' where id = $1", [body.id]);
    const late = await kit.call('POST', `/promotions/${body.id}/approve`, { token: approver.token });
    expect(late.status).toBe(409);
    // What the timer does after seven days, done now: the workflow looks at its row.
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into dispatch (tenant_id, kind, workflow_id, payload)
         values ($1, 'signal', $2, '{"signal": "look", "args": []}')`,
        [tenant.id, `promotion:${tenant.id}:${body.id}:1`],
      ),
    );
    expect((await kit.reach(body.id, 'EXPIRED')).status_message).toContain('7 days');
    expect(await kit.production('late')).toEqual([]);
  });

  it('fail by any check, with the reason, and change nothing', async () => {
    for (const model of ['damaged', 'gone', 'archived', 'below']) await kit.version(model);
    const fileOf = `version_id in (select v.id from model_version v join model m on m.id = v.model_id
      where v.tenant_id = $1 and m.name = $2)`;
    await kit.sql(`update model_version_file set sha256 = repeat('a', 64) where ${fileOf}`, [
      tenant.id,
      'damaged',
    ]);
    await kit.sql(`update model_version_file set object_key = 't/x/none' where ${fileOf}`, [
      tenant.id,
      'gone',
    ]);
    await kit.call('POST', '/models/archived/1/stage', { json: { stage: 'Archived' } });
    await serve('below', 'below-endpoint', { map50: 0.5, latency_p95_ms: 90 });
    await kit.sql(`update tenant set kpi_targets = '{"map50": 0.6, "latency_p95_ms": 200}' where id = $1`, [
      tenant.id,
    ]);
    for (const [model, key, text] of [
      ['damaged', 'artifact', 'not as registered'],
      ['gone', 'artifact', 'cannot be read'],
      ['archived', 'stage', 'Archived'],
      ['below', 'smoke_kpi', 'map50 of endpoint below-endpoint is 0.5'],
    ] as const) {
      const { body } = await kit.promote(model, 1);
      const failed = await kit.reach(body.id, 'FAILED');
      const bad = failed.checks.filter(({ result }: { result: string }) => result === 'failed');
      expect([model, bad.map((check: { key: string }) => check.key)]).toEqual([model, [key]]);
      expect(failed.status_message).toContain(text);
      expect(await kit.production(model)).toEqual([]);
    }
  });

  it('are rolled back by themselves while a condition holds, and people hear of it', async () => {
    await kit.version('watched');
    await kit.version('watched');
    const never = { metric: 'requests', op: '<', value: 0, for: '1m' };
    const earlier = await kit.apply('watched', 1, {
      rollback_conditions: [never, { ...never, metric: 'map50' }],
    });
    expect(earlier.status_message).toBe(
      'In Production. Nothing measures requests, map50: conditions on it hold nothing.',
    );
    const condition = { metric: 'accuracy', op: '<', value: 0.8, for: '1m' };
    const applied = await kit.apply('watched', 2, { rollback_conditions: [condition] });
    expect([applied.watched, applied.rollback_conditions]).toEqual([true, [condition]]);
    expect(applied.status_message).toBe(
      'In Production; version 1 was archived. Nothing measures accuracy: conditions on it hold nothing.',
    );
    const kept = await kit.call('DELETE', '/models/watched/1');
    expect([kept.status, kept.body.detail.users]).toEqual([
      409,
      [{ version: 1, kind: 'promotion', name: applied.id }],
    ]);
    const ids = Array.from({ length: 40 }, () => randomUUID());
    await kit.records(
      'watched',
      2,
      ids.map((prediction) => ({ prediction, label: 'cat', confidence: 0.9 })),
    );
    await kit.feedback(
      'watched',
      Object.fromEntries(ids.map((id, at) => [id, { label: at < 20 ? 'dog' : 'cat' }])),
    );
    // In Production for longer than the span.
    await kit.sql("update promotion set applied_at = now() - interval '2 minutes' where id = $1", [
      applied.id,
    ]);
    const back = await kit.reach(applied.id, 'ROLLED_BACK');
    expect(back).toMatchObject({
      watched: false,
      status_message:
        'Rolled back, since accuracy < 0.8 for 1m holds (accuracy is 0.5): version 1 is in Production again.',
    });
    expect(await kit.production('watched')).toEqual([1]);
    expect((await kit.call('GET', `/promotions/${earlier.id}`)).body).toMatchObject({
      ...{ status: 'APPLIED', watched: true },
    });
    await until('a look at the conditions of the version that came back', async () => {
      const looks = 'select 1 from promotion where id = $1 and looked_at > watched_since';
      return (await kit.sql(looks, [earlier.id])).length > 0;
    });
    expect((await history('watched')).slice(0, 2)).toEqual(['1 Archived Production', '2 Production None']);
    const reported = await kit.sql<{ title: string }>(
      "select title from notification_request where tenant_id = $1 and title like '%watched version 2 was rolled back' union select title from notification where tenant_id = $1 and title like '%watched version 2 was rolled back'",
      [tenant.id],
    );
    expect(reported.length).toBe(1);
    expect((await kit.call('DELETE', '/models/watched/2')).status).toBe(204);
  });

  it('begin to count anew when the platform was away: what it did not receive says nothing', async () => {
    await kit.version('away');
    await kit.install('away', 1);
    const condition = { metric: 'requests', op: '<', value: 1, for: '1m' };
    const { id } = await kit.apply('away', 1, { rollback_conditions: [condition] });
    await kit.sql(
      `update promotion set applied_at = now() - interval '2 hours', looked_at = now() - interval '1 hour' where id = $1`,
      [id],
    );
    const looked = async () =>
      (
        await kit.sql<{ since: Date | null; status: string }>(
          'select watched_since as since, status from promotion where id = $1',
          [id],
        )
      )[0];
    for (const until = Date.now() + 40_000; !(await looked())?.since && Date.now() < until; )
      await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await looked()).toEqual({ since: expect.any(Date), status: 'APPLIED' });
    await kit.call('POST', '/models/away/1/stage', { json: { stage: 'Archived' } });
  });

  it('are watched no longer once another version, or none, is in Production', async () => {
    await kit.version('left');
    await kit.version('left');
    const conditions = { rollback_conditions: [{ metric: 'requests', op: '<', value: 1, for: '1d' }] };
    const one = await kit.apply('left', 1, conditions);
    const two = await kit.apply('left', 2, conditions);
    const watched = async (id: string) => (await kit.call('GET', `/promotions/${id}`)).body.watched;
    expect([await watched(one.id), await watched(two.id)]).toEqual([false, true]);
    await kit.call('POST', '/models/left/2/stage', { json: { stage: 'Archived' } });
    expect(await watched(two.id)).toBe(false);
    expect(await kit.production('left')).toEqual([]);
  });

  it('keep one version in Production, however many are requested at once', async () => {
    for (let n = 0; n < 4; n += 1) await kit.version('race');
    const asked = await Promise.all([1, 2, 3, 4].map((version) => kit.promote('race', version)));
    expect(asked.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const same = await Promise.all([1, 1, 1].map(() => kit.promote('race', 1)));
    expect(same.every(({ status }) => status === 409 || status === 201)).toBe(true);
    for (const { body } of asked) await kit.reach(body.id, 'APPLIED');
    for (const { body, status } of same) if (status === 201) await kit.reach(body.id, 'APPLIED');
    expect(await kit.production('race')).toHaveLength(1);
    // Replayed from the first change on, the history never has two.
    const items = (await kit.call('GET', '/models/race/stage-history')).body.items.reverse();
    const inProduction = new Set<number>();
    for (const { version, from_stage, to_stage } of items) {
      if (from_stage === 'Production') inProduction.delete(version);
      if (to_stage === 'Production') inProduction.add(version);
      expect(inProduction.size).toBeLessThanOrEqual(1);
    }
    expect([...inProduction]).toEqual(await kit.production('race'));
  });

  it('are listed newest first, by status, and refused where they make no sense', async () => {
    const page = (await kit.call('GET', '/promotions?status=ROLLED_BACK')).body;
    expect([page.total, page.items[0].model_name]).toEqual([1, 'watched']);
    const all = (await kit.call('GET', '/promotions?page_size=2')).body;
    expect([all.items.length, all.page_size, all.total > 8]).toEqual([2, 2, true]);
    expect((await kit.call('GET', '/promotions?status=applied')).status).toBe(422);
    expect((await kit.call('GET', `/promotions/${randomUUID()}`)).status).toBe(404);
    const ask = (json: object, token = api.admin.token) => kit.promote('first', 1, json, token);
    const bad = { metric: 'accuracy', op: '<', value: 1, for: '1m' };
    for (const json of [
      { to_version: 2 },
      { to_version: 'x' },
      { reason: '' },
      { reason: undefined },
      { rollback_conditions: [{ ...bad, for: '1s' }] },
      { rollback_conditions: [{ ...bad, op: '=' }] },
      { rollback_conditions: [{ ...bad, metric: 'a b' }] },
    ])
      expect([json, (await ask(json)).status]).toEqual([json, 422]);
    expect((await ask({}, engineer.token)).status).toBe(403);
    expect((await kit.promote('first', 9)).status).toBe(404);
    expect((await kit.promote('first', 2)).body.message).toContain('in Production already');
    const other = await api.addTenant();
    expect((await kit.call('GET', `/promotions/${page.items[0].id}`, { tenant: other.code })).status).toBe(
      404,
    );
    const actions = await kit.sql<{ action: string }>(
      "select distinct action from audit_entry where tenant_id = $1 and action like 'promotion.%' order by 1",
      [tenant.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'promotion.apply',
      'promotion.approve',
      'promotion.expire',
      'promotion.fail',
      'promotion.reject',
      'promotion.rejected',
      'promotion.request',
      'promotion.roll_back',
    ]);
  });

  /** An endpoint that serves version 1 of a model, with the result of its last smoke, as rows. */
  async function serve(model: string, name: string, kpis: object): Promise<void> {
    const imageId = randomUUID();
    await kit.sql(
      `insert into image (id, tenant_id, kind, model_version_id, repository, tag, status, manifest_digest, runtime)
       select $3, $1, 'model', v.id, $2, '1', 'READY', 'sha256:' || repeat('a', 64), 'sklearn'
       from model_version v join model m on m.id = v.model_id where v.tenant_id = $1 and m.name = $2`,
      [tenant.id, model, imageId],
    );
    await kit.sql(
      `insert into serving_endpoint (tenant_id, name, image_id, replicas, status, wish, workload_id, sealed_credential, validation)
       values ($1, $2, $3, 1, 'STOPPED', 'stop', $2, 'x', $4)`,
      [tenant.id, name, imageId, JSON.stringify({ kpis })],
    );
  }
});
