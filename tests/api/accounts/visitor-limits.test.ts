import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { networkOf } from '../../../api/http/routing/caller-network.js';
import { originAttempts } from '../../../models/accounts/sign-in/sign-in-history.platform.js';
import {
  VISITOR_LIMITS,
  type VisitorRequest,
} from '../../../models/accounts/sign-in/visitor-limits.rules.js';
import { documentOf } from '../isolation/operations.js';
import {
  type Answer,
  startApiBeside,
  startTestApi,
  type TestApi,
  type TestUser,
} from '../support/test-api.js';

/** Public operations that change something and need no limit of their own, with what stands in the way of a flood. */
const WITHOUT_LIMIT: Readonly<Record<string, string>> = {
  'POST /auth/reset-password': 'a token that we signed comes before the hash',
  'POST /auth/verify': 'a token that we signed comes before any row',
};

const PASSWORD = 'a decent one 77';
/** What each operation is sent, by what it asks for. */
const BODIES: Readonly<Record<VisitorRequest, (email: string) => object>> = {
  'sign-in': (username) => ({ form: { username, password: PASSWORD } }),
  register: (email) => ({ json: { email, password: PASSWORD } }),
  mail: (email) => ({ json: { email } }),
};

describe('limits for visitors', () => {
  let api: TestApi;
  let count = 0;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback' });
  });
  afterAll(() => api.close());
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** An address that no other test uses, in a network of its own. */
  const newAddress = () => `100.64.${(count += 1)}.10`;
  const neighbour = (address: string) => address.replace(/10$/, '11');
  const stranger = () => `nobody-${(count += 1)}@example.com`;
  const operations = (): Array<{ key: string; access: string; limit: VisitorRequest | undefined }> =>
    Object.entries(documentOf(api).paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Record<string, string>>).map(([method, operation]) => ({
        key: `${method.toUpperCase()} ${path}`,
        access: String(operation['x-access']),
        limit: operation['x-visitor-limit'] as VisitorRequest | undefined,
      })),
    );
  const limited = () =>
    operations().flatMap(({ key, limit }) => (limit === undefined ? [] : [[key, limit] as const]));
  const ask = (key: string, limit: VisitorRequest, address: string, email = stranger()): Promise<Answer> => {
    const [method, path] = key.split(' ') as [string, string];
    return api.call(method, path, { ...BODIES[limit](email), headers: { 'x-forwarded-for': address } });
  };
  const useUp = (limit: VisitorRequest, origin: 'address' | 'network', value: string, endsInS = 300) =>
    api.container.db.inPlatform((tx) =>
      tx.execute(
        `insert into attempt_limit (key, used, resets_at) values ($1, $2, now() + make_interval(secs => $3))
         on conflict (key) do update set used = excluded.used, resets_at = excluded.resets_at`,
        [originAttempts(`${limit}|${origin}`, value), VISITOR_LIMITS[limit][origin].points, endsInS],
      ),
    );
  const usedBy = async (limit: VisitorRequest, origin: 'address' | 'network', value: string) => {
    const [row] = await api.container.db.inPlatform((tx) =>
      tx.query<{ used: number }>('select used from attempt_limit where key = $1', [
        originAttempts(`${limit}|${origin}`, value),
      ]),
    );
    return row?.used ?? 0;
  };
  const signIn = (person: TestUser, address: string, password = person.password) =>
    api.call('POST', '/auth/jwt/login', {
      form: { username: person.email, password },
      headers: { 'x-forwarded-for': address },
    });

  it('stand at every operation that visitors change something by, save those named', () => {
    const open = operations().filter(
      ({ key, access, limit }) => access === 'public' && !key.startsWith('GET ') && limit === undefined,
    );
    expect(open.map(({ key }) => key).sort()).toEqual(Object.keys(WITHOUT_LIMIT).sort());
    expect(limited().length).toBeGreaterThanOrEqual(5);
  });

  it.each(['address', 'network'] as const)(
    'answer 429 with Retry-After at each such operation once those of the %s are used up, before a password is hashed',
    async (origin) => {
      for (const [key, limit] of limited()) {
        const address = newAddress();
        await useUp(limit, origin, origin === 'address' ? address : networkOf(address));
        const hashed = [
          jest.spyOn(api.container.hasher, 'hash'),
          jest.spyOn(api.container.hasher, 'matches'),
        ];
        for (let repeat = 0; repeat < 3; repeat += 1) {
          const refused = await ask(key, limit, address);
          expect([key, refused.status, refused.body.code]).toEqual([key, 429, 'too_many_requests']);
          const seconds = Number(refused.headers.get('retry-after'));
          expect([key, seconds > 290 && seconds <= 300]).toEqual([key, true]);
        }
        for (const method of hashed) expect(method).not.toHaveBeenCalled();
        jest.restoreAllMocks();
        // Others in the network have what is left of it, and those of other networks all of theirs.
        const beside = await ask(key, limit, neighbour(address));
        expect([key, beside.status === 429]).toEqual([key, origin === 'network']);
        expect([key, (await ask(key, limit, newAddress())).status === 429]).toEqual([key, false]);
      }
    },
  );

  it('begin anew when their window is over', async () => {
    for (const [key, limit] of limited()) {
      const address = newAddress();
      await useUp(limit, 'address', address, 2);
      expect([key, (await ask(key, limit, address)).status]).toEqual([key, 429]);
      await new Promise((resolve) => setTimeout(resolve, 2200));
      expect([key, (await ask(key, limit, address)).status === 429]).toEqual([key, false]);
    }
  });

  it('count every registration and every mail, and of sign-ins those that fail', async () => {
    const [address, person] = [newAddress(), await api.addUser()];
    for (const [key, limit] of limited()) await ask(key, limit, address);
    for (let n = 0; n < 3; n += 1) expect((await signIn(person, address)).status).toBe(200);
    for (const [limit, expected] of [
      ['sign-in', 2],
      ['register', 1],
      ['mail', 2],
    ] as const)
      for (const [origin, value] of [
        ['address', address],
        ['network', networkOf(address)],
      ] as const)
        expect([limit, origin, await usedBy(limit, origin, value)]).toEqual([limit, origin, expected]);
  });

  it('shut nobody out of an account at a place where it was signed in to before', async () => {
    const [address, owner, other] = [newAddress(), await api.addUser(), await api.addUser()];
    expect((await signIn(owner, address)).status).toBe(200);
    await useUp('sign-in', 'address', address);
    await useUp('sign-in', 'network', networkOf(address));
    expect((await signIn(other, address)).status).toBe(429);
    expect((await signIn(owner, address)).status).toBe(200);
    // Not even while the process remembers, and not as a way to guess on.
    for (let n = 0; n < 10; n += 1) expect((await signIn(owner, address, 'wrong wrong')).status).toBe(400);
    const refused = await signIn(owner, address);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 600]).toEqual([429, true]);
    expect(await usedBy('sign-in', 'network', networkOf(address))).toBe(
      VISITOR_LIMITS['sign-in'].network.points,
    );
  });

  it('take the addresses of one IPv6 network for one place', async () => {
    const person = await api.addUser();
    const network = '2001:db8:77:1';
    expect((await signIn(person, `${network}::5`)).status).toBe(200);
    await useUp('sign-in', 'network', `${network}::/64`);
    expect((await signIn(await api.addUser(), `${network}:1:2:3:4`)).status).toBe(429);
    expect((await signIn(person, `${network}:1:2:3:4`)).status).toBe(200);
  });

  it('hold for all API processes together, also for requests at once', async () => {
    const beside = await startApiBeside(api);
    try {
      const address = newAddress();
      const { points } = VISITOR_LIMITS.mail.address;
      await useUp('mail', 'address', address);
      await api.container.db.inPlatform((tx) =>
        tx.execute('update attempt_limit set used = $2 where key = $1', [
          originAttempts('mail|address', address),
          points - 5,
        ]),
      );
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? api.call : beside.call)('POST', '/auth/forgot-password', {
            json: { email: stranger() },
            headers: { 'x-forwarded-for': address },
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
    } finally {
      await beside.close();
    }
  });

  it('keep places in the queue of passwords for known people, however many strangers come', async () => {
    const [home, owner] = [newAddress(), await api.addUser()];
    expect((await signIn(owner, home)).status).toBe(200);
    const address = newAddress();
    const crowd = Array.from({ length: 150 }, () => ask('POST /auth/jwt/login', 'sign-in', address));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await signIn(owner, home)).status).toBe(200);
    const answers = await Promise.all(crowd);
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(0);
    expect(new Set(busy.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['2']));
    // Who was refused for want of a place has lost no attempt.
    expect(await usedBy('sign-in', 'address', address)).toBe(150 - busy.length);
  });
});
