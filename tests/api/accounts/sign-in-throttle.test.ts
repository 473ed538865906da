import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SignInThrottle } from '../../../api/accounts/sign-in-throttle.platform.js';
import { VisitorLimits } from '../../../api/accounts/visitor-limits.platform.js';
import type { HashCaller } from '../../../api/auth/password-hasher.js';
import type { AppError } from '../../../core/errors/app-error.js';
import { originAttempts } from '../../../models/accounts/sign-in/sign-in-history.platform.js';
import { VISITOR_LIMITS } from '../../../models/accounts/sign-in/visitor-limits.rules.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

const HOME = '198.51.100.7';
/** Two are at work and 64 wait for them. */
const LET_IN = 66;

describe('the throttle of sign-ins while strangers flood', () => {
  let api: TestApi;
  let count = 0;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback' });
  });
  afterAll(() => api.close());

  const newThrottle = () => {
    const { db, hasher } = api.container;
    return new SignInThrottle(db, new VisitorLimits(db), hasher);
  };
  const counterOf = (address: string) => originAttempts('sign-in|address', address);
  const counted = async (address: string): Promise<number> => {
    const [row] = await api.container.db.inPlatform((tx) =>
      tx.query<{ used: number }>('select used from attempt_limit where key = $1', [counterOf(address)]),
    );
    return row?.used ?? 0;
  };
  const useUp = (address: string) =>
    api.container.db.inPlatform((tx) =>
      tx.execute('update attempt_limit set used = $2 where key = $1', [
        counterOf(address),
        VISITOR_LIMITS['sign-in'].address.points,
      ]),
    );
  /** Strangers whose passwords are compared until `end` is called. */
  const flood = (throttle: SignInThrottle, address: string, size: number) => {
    const ended = Promise.withResolvers<void>();
    const begun: HashCaller[] = [];
    const answers = Array.from({ length: size }, () =>
      throttle.attempt(`nobody-${(count += 1)}@example.com`, address, async ({ caller }) => {
        begun.push(caller);
        await ended.promise;
      }),
    );
    return { answers: Promise.allSettled(answers), begun, end: ended.resolve };
  };
  const untilBegun = async (begun: readonly unknown[], size: number) => {
    const deadline = Date.now() + 20_000;
    while (begun.length < size && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    // Long enough for one more to begin, were it let in.
    await new Promise((resolve) => setTimeout(resolve, 300));
  };
  const reasonsOf = (answers: ReadonlyArray<PromiseSettledResult<void>>): AppError[] =>
    answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as AppError] : []));

  it('counts two strangers at a time, lets 64 wait uncounted and refuses the rest at once', async () => {
    const [throttle, address] = [newThrottle(), '203.0.113.9'];
    const { answers, begun, end } = flood(throttle, address, LET_IN + 10);
    await untilBegun(begun, 2);
    expect([begun, await counted(address)]).toEqual([['unknown', 'unknown'], 2]);
    end();
    const refused = reasonsOf(await answers);
    expect(refused.map(({ code, options }) => [code, options.retryAfterS])).toEqual(
      Array.from({ length: 10 }, () => ['service_unavailable', 2]),
    );
    expect([begun.length, await counted(address)]).toEqual([LET_IN, LET_IN]);
  });

  it('begins the attempt of a known person meanwhile', async () => {
    const person = await api.addUser();
    const signedIn = await api.call('POST', '/auth/jwt/login', {
      form: { username: person.email, password: person.password },
      headers: { 'x-forwarded-for': HOME },
    });
    expect(signedIn.status).toBe(200);
    const throttle = newThrottle();
    const { answers, begun, end } = flood(throttle, '203.0.113.10', LET_IN + 10);
    await untilBegun(begun, 2);
    const callers = [
      await throttle.attempt(person.email, HOME, async ({ caller }) => caller),
      await throttle
        .attempt(person.email, '203.0.113.11', async ({ caller }) => caller)
        .catch(() => 'refused'),
    ];
    expect([callers, begun.length]).toEqual([['known', 'refused'], 2]);
    end();
    await answers;
  });

  it('begins two attempts at a time on one account whose password is right, and lets others pass', async () => {
    const [one, other] = [await api.addUser(), await api.addUser()];
    for (const { email, password } of [one, other])
      await api.call('POST', '/auth/jwt/login', {
        form: { username: email, password },
        headers: { 'x-forwarded-for': HOME },
      });
    const throttle = newThrottle();
    const ended = Promise.withResolvers<void>();
    let begun = 0;
    const answers = Array.from({ length: LET_IN + 10 }, (_, n) =>
      throttle.attempt(n % 2 === 0 ? one.email : one.email.toUpperCase(), HOME, async ({ succeeded }) => {
        begun += 1;
        await ended.promise;
        await succeeded(one.id);
      }),
    );
    const all = Promise.allSettled(answers);
    while (begun < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(begun).toBe(2);
    expect(await throttle.attempt(other.email, HOME, async ({ caller }) => caller)).toBe('known');
    ended.resolve();
    const refused = reasonsOf(await all);
    expect([begun, refused.map(({ code }) => code)]).toEqual([
      LET_IN,
      Array.from({ length: 10 }, () => 'service_unavailable'),
    ]);
  });

  it('asks the database only for those who come first once their address is used up, and not for the line', async () => {
    const [throttle, address] = [newThrottle(), '203.0.113.12'];
    const { answers, begun, end } = flood(throttle, address, 20);
    await untilBegun(begun, 2);
    await useUp(address);
    const asked = jest.spyOn(api.container.db, 'inAuth');
    try {
      end();
      const refused = reasonsOf(await answers);
      expect([begun.length, refused.length, new Set(refused.map(({ code }) => code))]).toEqual([
        2,
        18,
        new Set(['too_many_requests']),
      ]);
      expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
      expect(await counted(address)).toBe(VISITOR_LIMITS['sign-in'].address.points);
    } finally {
      asked.mockRestore();
    }
  });

  it('lets the next in after one that failed', async () => {
    const [throttle, address] = [newThrottle(), '203.0.113.13'];
    const fail = () => throttle.attempt('nobody@example.com', address, () => Promise.reject(new Error('no')));
    for (let n = 0; n < 3; n += 1) await expect(fail()).rejects.toThrow('no');
    expect(await throttle.attempt('nobody@example.com', address, async () => 'in')).toBe('in');
  });
});
