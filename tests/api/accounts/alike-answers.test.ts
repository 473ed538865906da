import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { timeAlike } from '../support/alike-times.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

/** A sign-in that compares no password, or one more of them, lies far beyond it. */
const BOUND = 1.25;

/** Nobody learns from status, body or time which addresses have accounts. */
/** Many sign-ins, each with a hash that takes a while. */
jest.setTimeout(180_000);

describe('answers about accounts', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback' });
  });
  afterAll(() => api.close());

  const unknown = () => `user-${randomUUID()}@example.com`;
  /** @returns the addresses of accounts enough that none reaches its limit of mails */
  const addAccounts = async (isActive: boolean): Promise<string[]> => {
    const addresses = Array.from({ length: 60 }, unknown);
    const passwordHash = `$argon2id$${'x'.repeat(87)}`;
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        'insert into user_account (email, password_hash, is_active) select e, $2, $3 from unnest($1::text[]) as e',
        [addresses, passwordHash, isActive],
      ),
    );
    return addresses;
  };

  it.each(['jwt', 'cookie'])(
    'to a %s sign-in take as long for an unknown address, a wrong password and an inactive account, and are the same',
    async (kind) => {
      const [active, inactive] = [await api.addUser(), await api.addUser()];
      await api.call('POST', `/api/v1/system/users/${inactive.id}/disable`, { token: api.admin.token });
      const bodies = new Set<string>();
      // From another address each time: the throttle is not what is measured.
      const login = async (username: string, password: string, call: number) => {
        const headers = { 'x-forwarded-for': `203.0.${kind === 'jwt' ? 113 : 112}.${call % 250}` };
        const answer = await api.call('POST', `/auth/${kind}/login`, {
          form: { username, password },
          headers,
        });
        bodies.add(
          JSON.stringify([answer.status, { ...answer.body, error_id: '' }, answer.headers.get('set-cookie')]),
        );
      };
      const { medianMs, ratio } = await timeAlike(
        {
          unknown: (call) => login(unknown(), 'wrong wrong', call),
          wrong: (call) => login(active.email, 'wrong wrong', call),
          inactive: (call) => login(inactive.email, inactive.password, call),
        },
        BOUND,
        20,
      );
      expect([...bodies].map((body) => JSON.parse(body))).toEqual([
        [
          400,
          {
            error_id: '',
            code: 'bad_request',
            message: 'E-mail address or password is not right.',
            detail: 'LOGIN_BAD_CREDENTIALS',
          },
          null,
        ],
      ]);
      expect({ medianMs, isAlike: ratio <= BOUND }).toEqual({ medianMs, isAlike: true });
    },
  );

  it.each(['forgot-password', 'request-verify-token'])(
    'to %s take as long for an address with and without an account, and are the same',
    async (route) => {
      const [people, disabled] = [await addAccounts(true), await addAccounts(false)];
      const bodies = new Set<string>();
      let asked = 0;
      // From another network each time: the limits are not what is measured.
      const ask = async (email: string) => {
        const headers = { 'x-forwarded-for': `100.${64 + (asked % 64)}.${(asked += 1) % 250}.1` };
        const answer = await api.call('POST', `/auth/${route}`, { json: { email }, headers });
        bodies.add(JSON.stringify([answer.status, answer.text]));
      };
      const { medianMs, ratio } = await timeAlike(
        {
          known: (call) => ask(people[call % people.length] as string),
          unknown: () => ask(unknown()),
          disabled: (call) => ask(disabled[call % disabled.length] as string),
        },
        BOUND,
        50,
      );
      expect([...bodies]).toEqual([JSON.stringify([202, 'null'])]);
      expect({ medianMs, isAlike: ratio <= BOUND }).toEqual({ medianMs, isAlike: true });
      const [mails] = await api.container.db.inPlatform((tx) =>
        tx.query<{ total: number }>(
          "select count(*) as total from dispatch where kind = 'mail' and payload->>'kind' = $1",
          [route === 'forgot-password' ? 'reset-password' : 'verify-email'],
        ),
      );
      expect(mails?.total).toBeGreaterThanOrEqual(50);
    },
  );

  it('ask the database the same questions for an address with and without an account', async () => {
    const asked: string[] = [];
    const send = Client.prototype.query;
    const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (
      this: Client,
      ...given: unknown[]
    ) {
      asked.push(typeof given[0] === 'string' ? given[0] : (given[0] as { text: string }).text);
      return (send as (...all: unknown[]) => unknown).apply(this, given) as never;
    });
    try {
      const [[known], [disabled]] = [await addAccounts(true), await addAccounts(false)];
      for (const route of ['forgot-password', 'request-verify-token']) {
        const questions: string[][] = [];
        for (const email of [known as string, disabled as string, unknown()]) {
          asked.length = 0;
          await api.call('POST', `/auth/${route}`, { json: { email } });
          questions.push(
            asked
              .slice(asked.findIndex((sql) => sql.includes('user_account')))
              .map((sql) => sql.replace(/^(release|rollback to) /, 'end ')),
          );
        }
        expect(questions[0]).toContainEqual(expect.stringMatching(/^insert into dispatch/));
        expect(questions[1]).toEqual(questions[0]);
        expect(questions[2]).toEqual(questions[0]);
      }
    } finally {
      spy.mockRestore();
    }
  });
});
