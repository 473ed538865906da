import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailTokens } from '../../../api/auth/mail-tokens.js';
import { findUserByEmail, type UserRow } from '../../../models/accounts/account.platform.js';
import { startApiBeside, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const PASSWORD = 'a decent one 77';
const newAddress = () => `guest-${randomUUID()}@example.com`;
const register = (api: Pick<TestApi, 'call'>, email: string, token: string | null = null) =>
  api.call('POST', '/auth/register', { json: { email, password: PASSWORD }, token });
const invite = (api: TestApi, email: string, tenant_code: string, role = 'VIEWER') =>
  api.call('POST', '/api/v1/system/users/invite', {
    token: api.admin.token,
    json: { email, tenant_code, role },
  });
const refusalOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  { ...body, error_id: '' },
];

describe('registration where it is closed', () => {
  it('answers everybody 403, and alike', async () => {
    const api = await startTestApi({ SERVICE_REGISTRATION: 'closed' });
    try {
      const answers = [
        await register(api, newAddress()),
        await register(api, api.admin.email),
        await register(api, newAddress(), api.admin.token),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [403, 'forbidden']),
      );
      expect(refusalOf(answers[1] as never)).toEqual(refusalOf(answers[0] as never));
      const tenant = await api.addTenant();
      expect((await invite(api, newAddress(), tenant.code)).status).toBe(404);
    } finally {
      await api.close();
    }
  });
});

describe('registration where it takes an invitation', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_REGISTRATION: 'invite' });
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  const accountOf = async (email: string) =>
    (await api.container.db.inAuth((tx) => findUserByEmail(tx, email))) as UserRow;
  const verify = async (email: string, at: Pick<TestApi, 'call'> = api) => {
    const keys = api.container.settings.SERVICE_SECRET_KEYS;
    const token = await new MailTokens(keys).issueVerify(await accountOf(email));
    return at.call('POST', '/auth/verify', { json: { token } });
  };
  const rolesOf = async (email: string) =>
    (
      await api.call('GET', `/api/v1/system/users?q=${encodeURIComponent(email)}`, { token: api.admin.token })
    ).body.items[0].roles.map((held: { tenant_code: string; role: string }) => [held.tenant_code, held.role]);
  const query = (sql: string, values: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<Record<string, unknown>>(sql, values));

  it('answers 403 to every address without one, whoever asks and whether or not it has an account', async () => {
    const answers = [
      await register(api, newAddress()),
      await register(api, api.admin.email),
      await register(api, newAddress(), api.admin.token),
    ];
    for (const answer of answers) expect(refusalOf(answer as never)).toEqual(refusalOf(answers[0] as never));
    expect(answers[0]?.status).toBe(403);
  });

  it('lets the invited address register in any spelling, and gives it the role once it is verified', async () => {
    const email = newAddress();
    const invited = await invite(api, email, tenant.code.toUpperCase(), 'OPERATOR');
    expect([invited.status, invited.body]).toEqual([
      202,
      { email, tenant_code: tenant.code, role: 'OPERATOR', expires_at: expect.any(String) },
    ]);
    const days = (Date.parse(invited.body.expires_at as string) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(14);
    expect(
      await query("select 1 from dispatch where kind = 'mail' and payload->>'kind' = 'invitation'"),
    ).toHaveLength(1);
    expect((await register(api, email.toUpperCase().replace('EXAMPLE.COM', 'example.com'))).status).toBe(201);
    expect(await rolesOf(email)).toEqual([]);
    expect((await verify(email)).status).toBe(200);
    expect(await rolesOf(email)).toEqual([[tenant.code, 'OPERATOR']]);
    // It is used up.
    expect((await register(api, email)).status).toBe(403);
    expect(await query('select 1 from invitation where email = $1', [email])).toEqual([]);
    const actions = await query(
      'select action from audit_entry where tenant_id = $1 and target_label is not null order by id',
      [tenant.id],
    );
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.invite', 'membership.grant']),
    );
  });

  it('keeps the last of several invitations to a tenant, and one for each tenant', async () => {
    const [email, other] = [newAddress(), await api.addTenant()];
    await invite(api, email, tenant.code, 'ADMIN');
    await invite(api, email, tenant.code, 'VIEWER');
    await invite(api, email, other.code, 'APPROVER');
    expect((await register(api, email)).status).toBe(201);
    await verify(email);
    expect((await rolesOf(email)).sort()).toEqual(
      [
        [tenant.code, 'VIEWER'],
        [other.code, 'APPROVER'],
      ].sort(),
    );
  });

  it('ends an invitation after its time, and with the next one', async () => {
    const late = newAddress();
    await invite(api, late, tenant.code);
    await query("update invitation set expires_at = now() - interval '1 second' where email = $1", [late]);
    expect((await register(api, late)).status).toBe(403);
    const early = newAddress();
    await invite(api, early, tenant.code, 'ADMIN');
    expect((await register(api, early)).status).toBe(201);
    expect((await invite(api, early, tenant.code, 'VIEWER')).status).toBe(202);
    await verify(early);
    expect(await rolesOf(early)).toEqual([[tenant.code, 'VIEWER']]);
  });

  it('leaves nothing of what a stranger made who registered the invited address', async () => {
    const email = newAddress();
    await invite(api, email, tenant.code, 'ADMIN');
    expect((await register(api, email)).status).toBe(201);
    const signIn = () =>
      api.call('POST', '/auth/jwt/login', { form: { username: email, password: PASSWORD } });
    const stranger = (await signIn()).body.access_token as string;
    const { id } = await accountOf(email);
    await query(
      `insert into access_token (tenant_id, user_id, kind, name, token_hash, read_only, expires_at)
       values ($1, $2, 'tracker', 'kept', $3, false, now() + interval '90 days')`,
      [tenant.id, id, randomUUID()],
    );
    // Invited once more: the account is nobody's yet.
    expect((await invite(api, email, tenant.code, 'ADMIN')).status).toBe(202);
    expect(await rolesOf(email)).toEqual([]);
    const passwordMails = () =>
      query("select 1 from dispatch where kind = 'mail' and payload->>'kind' = 'reset-password'");
    const before = (await passwordMails()).length;
    expect((await verify(email)).status).toBe(200);
    expect(await rolesOf(email)).toEqual([[tenant.code, 'ADMIN']]);
    expect((await api.call('GET', '/users/me', { token: stranger })).status).toBe(401);
    expect((await signIn()).status).toBe(400);
    expect(await query('select 1 from access_token where user_id = $1', [id])).toEqual([]);
    expect(await passwordMails()).toHaveLength(before + 1);
    const token = await new MailTokens(api.container.settings.SERVICE_SECRET_KEYS).issueReset(
      await accountOf(email),
    );
    const reset = { token, password: 'the owner knows 78' };
    expect((await api.call('POST', '/auth/reset-password', { json: reset })).status).toBe(200);
    const owner = { username: email, password: reset.password };
    expect((await api.call('POST', '/auth/jwt/login', { form: owner })).status).toBe(200);
  });

  describe('what was decided after an invitation', () => {
    const invitedAs = async (role: string) => {
      const email = newAddress();
      await invite(api, email, tenant.code, role);
      expect((await register(api, email)).status).toBe(201);
      return { email, id: (await accountOf(email)).id };
    };
    const asAdmin = (method: string, path: string, json?: Record<string, unknown>) =>
      api.call(method, path, { token: api.admin.token, ...(json && { json }) });
    const rolePath = (id: string) => `/api/v1/system/users/${id}/role`;
    const pendingOf = (email: string) => query('select 1 from invitation where email = $1', [email]);

    it('holds: another role, none, and an account that an administrator made', async () => {
      const [lower, removed, created] = [await invitedAs('ADMIN'), await invitedAs('ADMIN'), newAddress()];
      const viewer = { tenant_code: tenant.code, role: 'VIEWER' };
      expect((await asAdmin('PATCH', rolePath(lower.id), viewer)).status).toBe(200);
      expect((await asAdmin('PATCH', rolePath(removed.id), viewer)).status).toBe(200);
      const gone = await asAdmin('DELETE', `${rolePath(removed.id)}?tenant=${tenant.code}`);
      expect(gone.status).toBe(200);
      await invite(api, created, tenant.code, 'ADMIN');
      const made = { email: created, password: PASSWORD, ...viewer };
      expect((await asAdmin('POST', '/api/v1/system/users/create', made)).status).toBe(200);
      for (const { email } of [lower, removed, { email: created }]) await verify(email);
      expect(await rolesOf(lower.email)).toEqual([[tenant.code, 'VIEWER']]);
      expect(await rolesOf(removed.email)).toEqual([]);
      expect(await rolesOf(created)).toEqual([[tenant.code, 'VIEWER']]);
    });

    it('gives no role beside one that is there, and takes no invitation over to a new account', async () => {
      const [member, deleted] = [await invitedAs('ADMIN'), await invitedAs('ADMIN')];
      await query("insert into membership (user_id, tenant_id, role) values ($1, $2, 'VIEWER')", [
        member.id,
        tenant.id,
      ]);
      await verify(member.email);
      expect(await rolesOf(member.email)).toEqual([[tenant.code, 'VIEWER']]);
      expect((await asAdmin('DELETE', `/api/v1/system/users/${deleted.id}`)).status).toBeLessThan(300);
      expect(await pendingOf(deleted.email)).toEqual([]);
    });

    it('gives the role where an administrator verifies the address, with the password that comes along', async () => {
      const { email, id } = await invitedAs('OPERATOR');
      const password = 'given by hand 79';
      const changed = await asAdmin('PATCH', `/users/${id}`, { is_verified: true, password });
      expect(changed.status).toBe(200);
      expect(await rolesOf(email)).toEqual([[tenant.code, 'OPERATOR']]);
      const signedIn = await api.call('POST', '/auth/jwt/login', { form: { username: email, password } });
      expect(signedIn.status).toBe(200);
    });
  });

  it('gives the role when everybody may register by now', async () => {
    const email = newAddress();
    await invite(api, email, tenant.code, 'OPERATOR');
    const open = await startApiBeside({ ...api, env: { ...api.env, SERVICE_REGISTRATION: 'open' } });
    try {
      expect((await register(open, email)).status).toBe(201);
      expect((await verify(email, open)).status).toBe(200);
      expect(await rolesOf(email)).toEqual([[tenant.code, 'OPERATOR']]);
    } finally {
      await open.close();
    }
  });

  it('invites nobody to a tenant that is not there', async () => {
    expect((await invite(api, newAddress(), 'nowhere')).status).toBe(404);
  });
});
