import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSse, type SseReader } from '../support/sse-reader.js';
import type { TestUser } from '../support/test-api.js';
import { fillPath, type Operation } from './operations.js';
import { factoryOf } from './resource-factories.js';
import { startTenantPair, type TenantPair } from './tenant-pair.js';

const CLOSED_WITHIN_MS = 5000;

type Values = Readonly<Record<string, string>>;

/** For every operation of the description that answers server-sent events, by its kind of access. */
describe('event streams', () => {
  let pair: TenantPair;
  let streams: readonly Operation[];
  let deletionId: string;

  beforeAll(async () => {
    pair = await startTenantPair('both');
    streams = pair.operations.filter((operation) => operation.isStream);
    const { api } = pair;
    const third = await api.addTenant();
    deletionId = (
      await api.call('POST', `/api/v1/settings/tenants/${third.id}/deletion`, {
        token: api.admin.token,
        json: { confirm_code: third.code },
      })
    ).body.id as string;
  });
  afterAll(() => pair.api.close());

  const open = (operation: Operation, values: Values, headers: Record<string, string>): Promise<SseReader> =>
    openSse(`${pair.api.base}${fillPath(operation.path, (name) => values[name] ?? '!')}`, headers);
  const as = (user: Pick<TestUser, 'token'>, tenant = pair.b.code) => ({
    authorization: `Bearer ${user.token}`,
    'x-tenant': tenant,
  });
  /** What there is to watch for a member of B, or for a global administrator. */
  const own = ({ access, path }: Operation): Values =>
    access === 'admin' ? { id: deletionId } : (pair.own.get(factoryOf(path)?.prefix ?? '') ?? {});
  /** A stream that is connected. */
  const watch = async (operation: Operation, user: TestUser): Promise<SseReader> => {
    const reader = await open(operation, own(operation), as(user));
    expect([operation.key, reader.status]).toEqual([operation.key, 200]);
    expect((await reader.next()).event).toBe('connected');
    return reader;
  };
  const newcomer = async ({ access }: Operation): Promise<TestUser> => {
    const user = await pair.api.addUser({ [pair.b.code]: 'ADMIN' });
    if (access === 'admin')
      await pair.api.call('PATCH', `/users/${user.id}`, {
        token: pair.api.admin.token,
        json: { is_superuser: true },
      });
    return user;
  };
  const statusOf = async (reader: Promise<SseReader>): Promise<number> => {
    const { status, close } = await reader;
    close();
    return status;
  };
  /** One line for each operation that deviates. */
  const deviations = async (
    of: readonly Operation[],
    check: (operation: Operation) => Promise<string | null>,
  ) => {
    const found: string[] = [];
    for (const operation of of) {
      const deviation = await check(operation);
      if (deviation !== null) found.push(`${operation.key}: ${deviation}`);
    }
    return found;
  };
  const expectStatus =
    (wanted: number, ask: (operation: Operation) => Promise<SseReader>) => async (operation: Operation) => {
      const status = await statusOf(ask(operation));
      return status === wanted ? null : `${status}, expected ${wanted}`;
    };

  it('are described as such wherever a read answers with one, of a kind that is tried here', async () => {
    expect(streams.length).toBeGreaterThanOrEqual(3);
    expect(streams.filter(({ access }) => !['session', 'admin', 'user'].includes(access))).toEqual([]);
    const undescribed: string[] = [];
    for (const operation of pair.operations.filter(({ method, isStream }) => method === 'GET' && !isStream)) {
      const reader = await open(
        operation,
        own(operation),
        as(operation.access === 'admin' ? pair.api.admin : pair.ofB),
      );
      if (reader.headers.get('content-type')?.startsWith('text/event-stream'))
        undescribed.push(operation.key);
      reader.close();
    }
    expect(undescribed).toEqual([]);
  });

  it('open for whoever may watch', async () => {
    const found = await deviations(streams, async (operation) => {
      (await watch(operation, await newcomer(operation))).close();
      return null;
    });
    expect(found).toEqual([]);
  });

  it('need somebody who is signed in', async () => {
    const strangers: Array<Record<string, string>> = [
      {},
      { 'x-tenant': pair.b.code },
      { authorization: 'Bearer nonsense', 'x-tenant': pair.b.code },
    ];
    for (const headers of strangers)
      expect(
        await deviations(
          streams,
          expectStatus(401, (operation) => open(operation, own(operation), headers)),
        ),
      ).toEqual([]);
  });

  it("answer 404 for another tenant's resource, for one that does not exist, and in another tenant", async () => {
    const ofTenants = streams.filter(({ access }) => access === 'user');
    expect(ofTenants.length).toBeGreaterThan(0);
    const theirs = ({ path }: Operation) => pair.theirs.get(factoryOf(path)?.prefix ?? '') ?? {};
    const random = ({ path }: Operation) => factoryOf(path)?.random() ?? {};
    for (const user of Object.values(pair.askers)) {
      expect(
        await deviations(
          ofTenants,
          expectStatus(404, (operation) => open(operation, theirs(operation), as(user))),
        ),
      ).toEqual([]);
      expect(
        await deviations(
          ofTenants,
          expectStatus(404, (operation) => open(operation, random(operation), as(user))),
        ),
      ).toEqual([]);
    }
    expect(
      await deviations(
        ofTenants,
        expectStatus(404, (operation) => open(operation, theirs(operation), as(pair.ofB, pair.a.code))),
      ),
    ).toEqual([]);
  });

  it('of the platform are closed to members of tenants, and know nothing that is not there', async () => {
    const ofPlatform = streams.filter(({ access }) => access === 'admin');
    expect(ofPlatform.length).toBeGreaterThan(0);
    expect(
      await deviations(
        ofPlatform,
        expectStatus(403, (operation) => open(operation, own(operation), as(pair.ofB))),
      ),
    ).toEqual([]);
    expect(
      await deviations(
        ofPlatform,
        expectStatus(404, (operation) => open(operation, { id: randomUUID() }, as(pair.api.admin))),
      ),
    ).toEqual([]);
  });

  it.each<[string, (user: TestUser) => Promise<unknown>]>([
    ['signs out', (user) => pair.api.call('POST', '/auth/jwt/logout', { token: user.token })],
    [
      'is disabled',
      (user) =>
        pair.api.call('POST', `/api/v1/system/users/${user.id}/disable`, { token: pair.api.admin.token }),
    ],
  ])('end within 5 s when whoever watches %s', async (_name, end) => {
    const found = await deviations(streams, async (operation) => {
      const [user, somebodyElse] = [await newcomer(operation), await newcomer(operation)];
      const [reader, other] = [await watch(operation, user), await watch(operation, somebodyElse)];
      const startedAt = Date.now();
      await end(user);
      const how = await reader.next(CLOSED_WITHIN_MS).then(
        ({ event }) => `sent ${event}`,
        (error: Error) => error.message,
      );
      const stays = await other.next(200).catch((error: Error) => error.message);
      other.close();
      if (how !== 'ended' || Date.now() - startedAt > CLOSED_WITHIN_MS) return how;
      return stays === 'no event within 200 ms'
        ? null
        : `the stream of somebody else: ${JSON.stringify(stays)}`;
    });
    expect(found).toEqual([]);
  });
});
