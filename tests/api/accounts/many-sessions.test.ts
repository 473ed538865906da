import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApiBeside, startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

const LIMIT = 200;

describe('an account with as many sign-ins as it may have', () => {
  let api: TestApi;
  let beside: Awaited<ReturnType<typeof startApiBeside>>;
  let person: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    beside = await startApiBeside(api);
  });
  beforeEach(async () => {
    person = await api.addUser();
  });
  afterAll(async () => {
    await beside.close();
    await api.close();
  });

  const query = (sql: string, values: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<Record<string, unknown>>(sql, values));
  const count = async () =>
    (await query('select count(*) as total from auth_session where user_id = $1', [person.id]))[0]?.total;
  const statusOf = async (token: string, through: Pick<TestApi, 'call'> = api) =>
    (await through.call('GET', '/users/me', { token })).status;
  const signIn = () => api.signIn(person.email, person.password);
  /** Everything that the account has was opened and used an hour ago; the rest up to the limit has been used since. */
  const fill = async () => {
    await query(
      "update auth_session set created_at = now() - interval '1 hour', last_used_at = now() - interval '1 hour' where user_id = $1",
      [person.id],
    );
    await query(
      `insert into auth_session (user_id, kind, created_at, last_used_at)
       select $1, 'jwt', now() - interval '30 minutes', now() - interval '20 minutes' from generate_series(1, ${LIMIT} - (select count(*) from auth_session where user_id = $1))`,
      [person.id],
    );
    expect(await count()).toBe(LIMIT);
  };

  it('ends the one used longest ago for another, and not the oldest while it is in use', async () => {
    const idle = await signIn();
    await fill();
    expect(await statusOf(person.token)).toBe(200);
    const made = await signIn();
    expect([await statusOf(person.token), await statusOf(made), await count()]).toEqual([200, 200, LIMIT]);
    let status = 200;
    for (let left = 100; status !== 401 && left > 0; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      status = await statusOf(idle);
    }
    expect(status).toBe(401);
  });

  it('keeps one in use through a storm of others, whichever process it is used in', async () => {
    await fill();
    expect(await statusOf(person.token, beside)).toBe(200);
    for (let round = 0; round < 3; round += 1) {
      await query(
        "update auth_session set last_used_at = now() - interval '3 minutes' where user_id = $1 and last_used_at < now() - interval '10 minutes'",
        [person.id],
      );
      expect(await statusOf(person.token)).toBe(200);
      await Promise.all([signIn(), signIn(), signIn()]);
    }
    expect([await statusOf(person.token), await statusOf(person.token, beside), await count()]).toEqual([
      200,
      200,
      LIMIT,
    ]);
  });

  it('keeps one that was used in another process alone', async () => {
    await fill();
    expect(await statusOf(person.token, beside)).toBe(200);
    await signIn();
    expect(await statusOf(person.token, beside)).toBe(200);
  });

  it('writes no use for each request', async () => {
    const stored = () =>
      query('select last_used_at, xmin::text as written from auth_session where user_id = $1', [person.id]);
    const before = await stored();
    for (let calls = 0; calls < 5; calls += 1)
      expect(await statusOf(person.token, calls % 2 === 0 ? api : beside)).toBe(200);
    expect(await stored()).toEqual(before);
  });
});
