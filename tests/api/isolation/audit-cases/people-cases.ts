import { randomUUID } from 'node:crypto';
import { MailTokens } from '../../../../api/auth/mail-tokens.js';
import { findUserById, type UserRow } from '../../../../models/accounts/account.platform.js';
import type { TestUser } from '../../support/test-api.js';
import { randomName } from '../../support/resource-factory.js';
import type { AuditedCase, AuditPlace, Prepare, UnauditedCase } from './audit-case.js';

const PASSWORD = 'another decent one 88';
const address = (): string => `${randomName()}@example.com`;

/** Somebody new, whose id stands in the path under any of the names it has there. */
const onPerson =
  (
    prepared: (
      at: AuditPlace,
      person: TestUser,
    ) => Promise<Record<string, unknown>> | Record<string, unknown> = () => ({}),
    json: Readonly<Record<string, unknown>> = {},
  ): Prepare =>
  async (at) => {
    const person = await at.api.addUser({ [at.tenant.code]: 'VIEWER' });
    return { values: { user_id: person.id, id: person.id }, json, ...(await prepared(at, person)) };
  };

const signedIn = (json: Readonly<Record<string, unknown>> = {}): Prepare =>
  onPerson((_, person) => ({ token: person.token }), json);

const mailTokens = (at: AuditPlace) => new MailTokens(at.api.container.settings.SERVICE_SECRET_KEYS);

const rowOf = async (at: AuditPlace, person: TestUser): Promise<UserRow> =>
  (await at.api.container.db.inPlatform((tx) => findUserById(tx, person.id))) as UserRow;

const onNewTenant =
  (json: Readonly<Record<string, unknown>>): Prepare =>
  async (at) => ({ values: { tenant_id: (await at.api.addTenant()).id }, json });

const login: Prepare = async (at) => {
  const person = await at.api.addUser();
  return { raw: { form: { username: person.email, password: person.password } } };
};

export const PEOPLE_CASES: Readonly<Record<string, AuditedCase>> = {
  'POST /auth/register': {
    action: 'user.create',
    prepare: () => ({ json: { email: address(), password: PASSWORD } }),
  },
  'POST /auth/reset-password': {
    action: 'user.password_reset',
    prepare: onPerson(async (at, person) => ({
      json: { token: await mailTokens(at).issueReset(await rowOf(at, person)), password: PASSWORD },
    })),
  },
  'POST /auth/verify': {
    action: 'user.verify',
    prepare: onPerson(async (at, person) => ({
      json: { token: await mailTokens(at).issueVerify(await rowOf(at, person)) },
    })),
  },
  'PATCH /users/me': { action: 'user.update', prepare: signedIn({ full_name: 'Another' }) },
  'POST /users/me/password': {
    action: 'user.password_change',
    prepare: onPerson((_, person) => ({
      token: person.token,
      json: { current_password: person.password, new_password: PASSWORD },
    })),
  },
  'POST /users/me/sessions/end-others': {
    action: 'user.sessions_end',
    prepare: onPerson(async (at, person) => {
      await at.api.signIn(person.email, person.password);
      return { token: person.token };
    }),
  },
  'POST /users/me/tokens': {
    action: 'user.token_create',
    prepare: onPerson((at, person) => ({
      token: person.token,
      json: { kind: 'tracker', tenant_code: at.tenant.code },
    })),
  },
  'DELETE /users/me/tokens/{token_id}': {
    action: 'user.token_revoke',
    prepare: onPerson(async (at, person) => {
      const made = await at.call(
        'POST',
        '/users/me/tokens',
        { kind: 'tracker', tenant_code: at.tenant.code, name: 'x' },
        person.token,
      );
      return { token: person.token, values: { token_id: made.id } };
    }),
  },
  'PUT /api/v1/notifications/preferences': {
    action: 'notification.preferences',
    prepare: signedIn({ prefs: {} }),
  },
  'PATCH /users/{id}': { action: 'user.update', prepare: onPerson(undefined, { full_name: 'Another' }) },
  'DELETE /users/{id}': { action: 'user.delete', prepare: onPerson() },
  'POST /api/v1/system/users/create': {
    action: 'user.create',
    prepare: (at) => ({
      json: { email: address(), password: PASSWORD, tenant_code: at.tenant.code, role: 'VIEWER' },
    }),
  },
  'POST /api/v1/system/users/invite': {
    action: 'membership.grant',
    prepare: async (at) => ({
      json: { email: (await at.api.addUser()).email, tenant_code: at.tenant.code, role: 'VIEWER' },
    }),
  },
  'DELETE /api/v1/system/users/{user_id}': { action: 'user.delete', prepare: onPerson() },
  'POST /api/v1/system/users/{user_id}/disable': { action: 'user.disable', prepare: onPerson() },
  'POST /api/v1/system/users/{user_id}/enable': {
    action: 'user.enable',
    prepare: onPerson(async (at, person) => {
      await at.admin('POST', `/api/v1/system/users/${person.id}/disable`);
      return {};
    }),
  },
  'POST /api/v1/system/users/{user_id}/global-admin': {
    action: 'user.global_admin_grant',
    prepare: onPerson(),
  },
  'DELETE /api/v1/system/users/{user_id}/global-admin': {
    action: 'user.global_admin_revoke',
    prepare: onPerson(async (at, person) => {
      await at.admin('POST', `/api/v1/system/users/${person.id}/global-admin`);
      return {};
    }),
  },
  'PATCH /api/v1/system/users/{user_id}/role': {
    action: 'membership.grant',
    prepare: onPerson((at) => ({ json: { tenant_code: at.tenant.code, role: 'OPERATOR' } })),
  },
  'DELETE /api/v1/system/users/{user_id}/role': {
    action: 'membership.revoke',
    prepare: onPerson((at) => ({ query: `?tenant=${at.tenant.code}` })),
  },
  'POST /api/v1/settings/tenants': {
    action: 'tenant.create',
    prepare: () => ({ json: { code: `t-${randomUUID().slice(0, 12)}` } }),
  },
  'PATCH /api/v1/settings/tenants/{tenant_id}': {
    action: 'tenant.update',
    prepare: onNewTenant({ name: 'Another' }),
  },
  'POST /api/v1/settings/tenants/{tenant_id}/deletion': {
    action: 'tenant.deletion_request',
    prepare: async (at) => {
      const { id, code } = await at.api.addTenant();
      return { values: { tenant_id: id }, json: { confirm_code: code } };
    },
  },
  'POST /api/v1/settings/tenants/deletions/{deletion_id}/retry': {
    action: 'tenant.deletion_retry',
    prepare: async (at) => {
      const { id, code } = await at.api.addTenant();
      const deletion = await at.admin('POST', `/api/v1/settings/tenants/${id}/deletion`, {
        confirm_code: code,
      });
      await at.set("update tenant_deletion set status = 'failed' where id = $1", [deletion.id]);
      return { values: { deletion_id: deletion.id as string } };
    },
  },
};

const ANONYMOUS =
  'nobody is known yet, and the account does not change: whether one exists must not be reported';

export const UNAUDITED_PEOPLE_CASES: Readonly<Record<string, UnauditedCase>> = {
  'POST /auth/cookie/login': { because: 'a session, no change; the access log has sign-ins', prepare: login },
  'POST /auth/jwt/login': { because: 'a session, no change; the access log has sign-ins', prepare: login },
  'POST /auth/cookie/logout': {
    because: 'ends the session it is called with',
    prepare: async (at) => {
      const person = await at.api.addUser();
      const { headers } = await at.api.call('POST', '/auth/cookie/login', {
        form: { username: person.email, password: person.password },
      });
      return { token: '', raw: { headers: { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' } } };
    },
  },
  'POST /auth/jwt/logout': { because: 'ends the session it is called with', prepare: signedIn() },
  'POST /auth/forgot-password': {
    because: ANONYMOUS,
    prepare: onPerson((_, person) => ({ json: { email: person.email } })),
  },
  'POST /auth/request-verify-token': {
    because: ANONYMOUS,
    prepare: onPerson((_, person) => ({ json: { email: person.email } })),
  },
};
