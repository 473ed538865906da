import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailTokens } from '../../../api/auth/mail-tokens.js';
import { accountAttempts } from '../../../models/accounts/sign-in/sign-in-history.platform.js';
import { findUserById, type UserRow } from '../../../models/accounts/account.platform.js';
import { foldAddress } from '../../../models/accounts/folded-address.js';
import {
  findKnownPlaces,
  rememberPlace,
  removeOldPlaces,
} from '../../../models/accounts/sign-in/sign-in-history.platform.js';
import { startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

const HOME = '198.51.100.7';

describe('an account that strangers guess at from many addresses', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback' });
  });
  afterAll(() => api.close());

  const query = (sql: string, values: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<Record<string, unknown>>(sql, values));
  const from = (address: string, person: TestUser, password = person.password) =>
    api.call('POST', '/auth/jwt/login', {
      form: { username: person.email, password },
      headers: { 'x-forwarded-for': address },
    });
  const guess = async (person: TestUser): Promise<number> => {
    let evaluated = 0;
    for (let address = 1; address <= 12; address += 1) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => from(`203.0.113.${address}`, person, 'wrong wrong')),
      );
      evaluated += answers.filter((answer) => answer.status === 400).length;
    }
    return evaluated;
  };

  /** As a hundred guesses leave it, without comparing a hundred passwords. */
  const exhaust = ({ email }: TestUser) =>
    api.container.db.inPlatform(async (tx) =>
      tx.execute(
        "insert into attempt_limit (key, used, resets_at) values ($1, 100, now() + interval '1 hour') on conflict (key) do update set used = 100",
        [accountAttempts(await foldAddress(tx, email))],
      ),
    );

  it('is shut where nobody has signed in to it, and open where its owner has, signed out or not', async () => {
    const person = await api.addUser();
    const { access_token: token } = (await from(HOME, person)).body;
    expect(await guess(person)).toBeLessThanOrEqual(100);
    expect((await from('203.0.113.99', person)).status).toBe(429);
    expect((await from(HOME, person)).status).toBe(200);
    expect((await api.call('POST', '/users/me/sessions/end-others', { token })).status).toBe(200);
    expect((await api.call('POST', '/auth/jwt/logout', { token })).status).toBe(200);
    expect((await query('select 1 from auth_session where user_id = $1', [person.id])).length).toBe(0);
    expect((await from(HOME, person)).status).toBe(200);
    expect((await from('203.0.113.99', person)).status).toBe(429);
  });

  it('is open for its owner after a new password, wherever that is', async () => {
    const person = await api.addUser();
    await exhaust(person);
    const far = '192.0.2.77';
    expect((await from(far, person)).status).toBe(429);
    const user = (await api.container.db.inPlatform((tx) => findUserById(tx, person.id))) as UserRow;
    const token = await new MailTokens(api.container.settings.SERVICE_SECRET_KEYS).issueReset(user);
    const password = 'a brand new one 1';
    expect(
      (
        await api.call('POST', '/auth/reset-password', {
          json: { token, password },
          headers: { 'x-forwarded-for': far },
        })
      ).status,
    ).toBe(200);
    expect((await from(far, person, password)).status).toBe(200);
    await exhaust(person);
    expect((await from(far, person, password)).status).toBe(200);
    const set = 'set by an admin 1';
    expect(
      (await api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json: { password: set } }))
        .status,
    ).toBe(200);
    expect((await from('192.0.2.78', person, set)).status).toBe(200);
  });

  it('remembers a hundred addresses for ninety days, and none of them in clear', async () => {
    const person = await api.addUser();
    await api.container.db.inPlatform(async (tx) => {
      for (let n = 0; n < 105; n += 1) await rememberPlace(tx, person.id, `198.51.100.${n}`);
    });
    const rows = await query('select * from sign_in_place where user_id = $1', [person.id]);
    expect([rows.length, JSON.stringify(rows).includes('198.51')]).toEqual([100, false]);
    const known = async (place: string) =>
      (
        await api.container.db.inPlatform((tx) =>
          findKnownPlaces(tx, [{ email: person.email.toUpperCase(), place }]),
        )
      )[0];
    await query('delete from sign_in_place where user_id = $1', [person.id]);
    await api.container.db.inPlatform((tx) => rememberPlace(tx, person.id, HOME));
    expect([await known(HOME), await known('198.51.100.8')]).toEqual([person.id, null]);
    await query("update sign_in_place set seen_at = now() - interval '91 days' where user_id = $1", [
      person.id,
    ]);
    expect(await known(HOME)).toBeNull();
    expect(await api.container.db.inPlatform(removeOldPlaces)).toBe(1);
    await api.container.db.inPlatform((tx) => rememberPlace(tx, randomUUID(), HOME));
  });
});
