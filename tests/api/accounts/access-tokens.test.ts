import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { claimExpiringTokens } from '../../../models/accounts/tokens/access-token.sql.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

const DAY_MS = 86_400_000;

describe('tokens of the tracker and the container registry', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  let runId: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
    runId = await addRun(tenant);
  });
  afterAll(() => api.close());

  async function addRun(of: TestTenant): Promise<string> {
    const id = randomUUID().replaceAll('-', '');
    await api.container.db.inTenant(asTenantId(of.id), async (tx) => {
      const [place] = await tx.query<{ id: number }>(
        "insert into tracker_experiment (tenant_id, project, name) values ($1, 'p', $2) returning id",
        [of.id, id],
      );
      await tx.execute(
        "insert into tracker_run (tenant_id, run_id, experiment, name, status, started_at) values ($1, $2, $3, 'r', 'FINISHED', now())",
        [of.id, id, place?.id],
      );
    });
    return id;
  }
  const create = (token: string, over: Record<string, unknown> = {}) =>
    api.call('POST', '/users/me/tokens', {
      token,
      json: { kind: 'tracker', tenant_code: tenant.code, name: 'laptop', ...over },
    });
  const read = (token: string, id = runId) =>
    api.call('GET', `/tracker/api/2.0/mlflow/runs/get?run_id=${id}`, { token });
  const status = async (token: string) => (await read(token)).status;
  const tracked = async (person: TestUser, over: Record<string, unknown> = {}): Promise<string> =>
    (await create(person.token, over)).body.token as string;

  it('are shown once, listed without their text, and stored as a keyed hash', async () => {
    const person = await api.addUser({ [tenant.code]: 'VIEWER' });
    const made = await create(person.token, { tenant_code: tenant.code.toUpperCase() });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        kind: 'tracker',
        tenant_code: tenant.code,
        name: 'laptop',
        read_only: false,
        created_at: expect.any(String),
        expires_at: expect.any(String),
        last_used_at: null,
        token: expect.stringMatching(/^votr_[\w-]{43}$/),
      },
    ]);
    expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBeCloseTo(90 * DAY_MS, -4);
    const { token, ...shown } = made.body;
    const list = await api.call('GET', '/users/me/tokens', { token: person.token });
    expect(list.body).toEqual({ items: [shown], total: 1 });
    const stored = JSON.stringify(
      await api.container.db.inPlatform((tx) => tx.query('select * from access_token')),
    );
    expect(stored).not.toContain(token);
    expect((await api.call('GET', '/users/me/tokens', { token: user.token })).body.total).toBe(0);
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query('select action, tenant_id from audit_entry where target_id = $1', [shown.id]),
    );
    expect(rows).toEqual([{ action: 'user.token_create', tenant_id: tenant.id }]);
  });

  it('open their own interface, in their tenant, and note when they were used', async () => {
    const made = await create(user.token, { name: 'used' });
    const answer = await read(made.body.token);
    expect([answer.status, answer.body.run.info]).toEqual([
      200,
      expect.objectContaining({
        run_id: runId,
        run_uuid: runId,
        status: 'FINISHED',
        artifact_uri: `mlflow-artifacts:/${runId}/artifacts`,
      }),
    ]);
    expect(answer.body.run.data).toEqual({ metrics: [], params: [], tags: [] });
    const list = await api.call('GET', '/users/me/tokens', { token: user.token });
    expect(
      list.body.items.find((item: { name: string }) => item.name === 'used').last_used_at,
    ).not.toBeNull();
    const other = await api.addTenant();
    const foreign = await read(made.body.token, await addRun(other));
    const none = await read(made.body.token, randomUUID().replaceAll('-', ''));
    expect([foreign.status, foreign.text]).toEqual([404, none.text]);
    expect(none.body).toEqual({ error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'Run not found.' });
  });

  it('open no other interface: neither the REST API, nor what jobs call, nor the other kind', async () => {
    const [tracker, registry] = [await tracked(user), await tracked(user, { kind: 'registry' })];
    for (const token of [tracker, registry]) {
      for (const path of ['/users/me', '/users/me/tokens', '/api/v1/tenants', '/api/v1/datasets'])
        expect([path, (await api.call('GET', path, { token, tenant: tenant.code })).status]).toEqual([
          path,
          401,
        ]);
      expect((await api.call('GET', '/users/me', { headers: { cookie: `svcauth=${token}` } })).status).toBe(
        401,
      );
      const files = `/tracker/api/2.0/visionops/runs/${runId}/dataset-files`;
      expect((await api.call('GET', files, { token })).status).toBe(401);
    }
    const refused = await read(registry);
    expect([refused.status, refused.body.error_code, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Bearer',
    ]);
    for (const token of [
      user.token,
      'votr_',
      `votr_${'A'.repeat(43)}`,
      tracker.slice(0, -1),
      `${tracker}x`,
      tracker.replace('votr_', 'vorg_'),
    ])
      expect(await status(token)).toBe(401);
  });

  it('end when they are revoked, by their owner alone', async () => {
    const made = await create(user.token);
    expect(await status(made.body.token)).toBe(200);
    const other = await api.addUser({ [tenant.code]: 'ADMIN' });
    const revoke = (token: string, id: string) => api.call('DELETE', `/users/me/tokens/${id}`, { token });
    const [foreign, unknown] = [
      await revoke(other.token, made.body.id),
      await revoke(other.token, randomUUID()),
    ];
    expect([foreign.status, foreign.body.message]).toEqual([404, unknown.body.message]);
    expect((await revoke(user.token, made.body.id)).status).toBe(204);
    expect(await status(made.body.token)).toBe(401);
    expect((await revoke(user.token, made.body.id)).status).toBe(404);
    expect((await revoke(user.token, 'nonsense')).status).toBe(422);
  });

  it.each<[string, (person: TestUser, of: TestTenant) => Promise<unknown>]>([
    [
      'the role is taken',
      (person, of) =>
        api.call('DELETE', `/api/v1/system/users/${person.id}/role?tenant=${of.code}`, {
          token: api.admin.token,
        }),
    ],
    [
      'the account is disabled',
      (person) => api.call('POST', `/api/v1/system/users/${person.id}/disable`, { token: api.admin.token }),
    ],
    [
      'the account is deleted',
      (person) => api.call('DELETE', `/api/v1/system/users/${person.id}`, { token: api.admin.token }),
    ],
    [
      'the tenant is switched off',
      (_person, of) =>
        api.call('PATCH', `/api/v1/settings/tenants/${of.id}`, {
          token: api.admin.token,
          json: { is_active: false },
        }),
    ],
    [
      'their time is over',
      (person) =>
        api.container.db.inPlatform((tx) =>
          tx.execute("update access_token set expires_at = now() - interval '1 s' where user_id = $1", [
            person.id,
          ]),
        ),
    ],
  ])('end when %s', async (name, end) => {
    const of = await api.addTenant();
    const person = await api.addUser({ [of.code]: 'VIEWER' });
    const own = await addRun(of);
    const made = await create(person.token, { tenant_code: of.code });
    if (name !== 'their time is over') expect((await read(made.body.token, own)).status).toBe(200);
    await end(person, of);
    expect((await read(made.body.token, own)).status).toBe(401);
  });

  it('do not come back with the role or the account', async () => {
    const person = await api.addUser({ [tenant.code]: 'VIEWER' });
    const token = await tracked(person);
    const admin = (method: string, path: string, json?: unknown) =>
      api.call(method, `/api/v1/system/users/${person.id}${path}`, { token: api.admin.token, json });
    await admin('DELETE', `/role?tenant=${tenant.code}`);
    await admin('PATCH', '/role', { tenant_code: tenant.code, role: 'ADMIN' });
    expect(await status(token)).toBe(401);
    const second = await tracked(person);
    await admin('POST', '/disable');
    await admin('POST', '/enable');
    expect(await status(second)).toBe(401);
  });

  it('of a global administrator last in every tenant as long as the membership does', async () => {
    const person = await api.addUser();
    const admin = (method: string) =>
      api.call(method, `/api/v1/system/users/${person.id}/global-admin`, { token: api.admin.token });
    expect((await create(person.token)).status).toBe(404);
    await admin('POST');
    const token = await tracked(person);
    expect(await status(token)).toBe(200);
    await admin('DELETE');
    expect(await status(token)).toBe(401);
  });

  it('are refused for a foreign and an unknown tenant alike, and for bad bodies', async () => {
    const other = await api.addTenant();
    const [foreign, unknown] = [
      await create(user.token, { tenant_code: other.code }),
      await create(user.token, { tenant_code: 'nowhere' }),
    ];
    expect([foreign.status, foreign.body.message]).toEqual([404, unknown.body.message]);
    const bad = [
      { kind: 'rest' },
      { name: '' },
      { name: 'x'.repeat(201) },
      { expires_in_days: 0 },
      { expires_in_days: 3651 },
      { expires_in_days: 1.5 },
      { read_only: 'no' },
      { tenant_code: '' },
    ];
    for (const over of bad) expect([over, (await create(user.token, over)).status]).toEqual([over, 422]);
    expect((await api.call('POST', '/users/me/tokens', { json: {} })).status).toBe(401);
  });

  it('are found before they end, once each', async () => {
    const made = await create(user.token, { expires_in_days: 3, name: 'soon' });
    const claim = () =>
      api.container.db.inPlatform((tx) =>
        claimExpiringTokens(tx, new Date(), new Date(Date.now() + 7 * DAY_MS), 100),
      );
    expect(await claim()).toEqual([
      {
        id: made.body.id,
        tenantId: tenant.id,
        userId: user.id,
        kind: 'tracker',
        name: 'soon',
        expiresAt: expect.any(Date),
      },
    ]);
    expect(await claim()).toEqual([]);
  });
});
