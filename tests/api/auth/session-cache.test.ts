import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SessionCache } from '../../../api/auth/session-cache.js';
import type { TokenHolder } from '../../../models/accounts/tokens/access-token.types.js';
import type { DeviceCaller } from '../../../models/edge/devices/device-caller.types.js';
import type { Principal, TenantAccess } from '../../../models/accounts/principal.types.js';

const tenant: TenantAccess = {
  tenantId: 't1' as TenantAccess['tenantId'],
  code: 'one',
  name: 'One',
  role: 'ADMIN',
};

describe('what a process knows of those who call', () => {
  let isListening: boolean;
  let loads: number;
  let cache: SessionCache;
  beforeEach(() => {
    [isListening, loads] = [true, 0];
    cache = new SessionCache(() => isListening);
  });
  /** A person, whose name says which load found them. */
  const person = (userId: string, expiresAt: Date | null = null): Principal => ({
    userId: userId as Principal['userId'],
    sessionId: `session of ${userId}`,
    sessionKind: 'cookie',
    email: 'a@example.com',
    fullName: String(++loads),
    phone: null,
    isActive: true,
    isVerified: true,
    isGlobalAdmin: false,
    expiresAt,
    tenants: new Map(),
    memberOf: [`tenant of ${userId}`, 'common'],
  });
  const find = async (
    user = 'a',
    expiresAt: Date | null = null,
    ready: Promise<void> = Promise.resolve(),
  ) => {
    const found = await cache.find(`cookie:${user}`, async () => {
      const read = person(user, expiresAt);
      await ready;
      return read;
    });
    return Number(found?.fullName);
  };

  it('is loaded once for all who ask, until something about it changes', async () => {
    expect([...(await Promise.all([find(), find()])), await find()]).toEqual([1, 1, 1]);
    cache.drop({ userId: 'a' });
    expect(await find()).toBe(2);
  });

  it.each([
    ['the person', { userId: 'a' }, [3, 2]],
    ['the session', { sessionId: 'session of a' }, [3, 2]],
    ['a tenant of theirs, active or not', { tenantId: 'tenant of a' }, [3, 2]],
    ['a tenant of both', { tenantId: 'common' }, [3, 4]],
    ['a token', { tokenId: 'a' }, [1, 2]],
    ['another person', { userId: 'c' }, [1, 2]],
    ['nobody in particular', {}, [3, 4]],
  ])('is forgotten after a change of %s, and nobody else is', async (_of, change, expected) => {
    expect([await find('a'), await find('b')]).toEqual([1, 2]);
    cache.drop(change);
    expect([await find('a'), await find('b')]).toEqual(expected);
  });

  it('forgets tokens and visited tenants by what they stand for', async () => {
    const holder: TokenHolder = {
      tokenId: 'k1',
      kind: 'tracker',
      isReadOnly: false,
      expiresAt: new Date(Date.now() + 60_000),
      userId: 'a',
      email: 'a@example.com',
      fullName: null,
      tenant,
    };
    const use = async () => {
      const before = loads;
      await cache.find('token:x', async () => {
        loads += 1;
        return holder;
      });
      await cache.find('tenant:one', async () => {
        loads += 10;
        return tenant;
      });
      return loads - before;
    };
    expect([await use(), await use()]).toEqual([11, 0]);
    const after = [];
    for (const change of [{ tokenId: 'k1' }, { userId: 'a' }, { tenantId: 't1' }, { tenantId: 't2' }]) {
      cache.drop(change);
      after.push(await use());
    }
    expect(after).toEqual([1, 1, 11, 0]);
  });

  it('is not what a load found that a change of it overtook', async () => {
    const early = find('a', null, sleep(30));
    cache.drop({ userId: 'a' });
    const late = find();
    expect([await early, await late, await find()]).toEqual([1, 2, 2]);
  });

  it('is not kept where everything was forgotten during its load', async () => {
    const early = find('a', null, sleep(30));
    cache.clear();
    expect([await find(), await early, await find()]).toEqual([2, 1, 2]);
  });

  it('is what a load found that a change of somebody else overtook', async () => {
    const early = find('a', null, sleep(30));
    cache.drop({ userId: 'b' });
    expect([await find(), await early, await find()]).toEqual([1, 1, 1]);
  });

  it('is asked for again where a load that was overtaken finds nobody', async () => {
    const early = cache.find('cookie:a', () => sleep(30).then(() => null));
    cache.drop({ tenantId: 'any' });
    expect([await find(), await early]).toEqual([1, null]);
  });

  it('is loaded again after a load that failed', async () => {
    const failed = cache.find('cookie:a', () => Promise.reject(new Error('no database')));
    await expect(failed).rejects.toThrow('no database');
    expect(await find()).toBe(1);
  });

  it('is nothing while changes could be missed', async () => {
    await find();
    isListening = false;
    expect([await find(), await find()]).toEqual([2, 3]);
  });

  it('is kept of devices for longer than they hold a poll, until they change or their token ends', async () => {
    const { now } = performance;
    const device: DeviceCaller = {
      ...{ deviceId: 'd1', tenantId: tenant.tenantId, tenantCode: 'one', key: 'door', number: 1 },
      ...{ isBlocked: false, registeredAt: null, policyRevision: 1, scopes: [] },
      expiresAt: new Date(Date.now() + 3_600_000),
      keptDays: { telemetry: 30, inference: 30, logs: 30 },
    };
    const findDevice = async () => {
      const before = loads;
      await cache.find('device:x', async () => {
        loads += 1;
        return device;
      });
      return loads - before;
    };
    /** Half a minute passes, as often as given. */
    const later = async <T>(halves: number, work: () => Promise<T>): Promise<T> => {
      performance.now = () => now.call(performance) + halves * 30_000;
      // The cache remembers the time for a millisecond.
      await sleep(5);
      return work();
    };
    try {
      expect([await findDevice(), await find()]).toEqual([1, 2]);
      expect(await later(4, async () => [await findDevice(), await find()])).toEqual([0, 3]);
      cache.drop({ deviceId: 'd1' });
      expect([await findDevice(), await findDevice()]).toEqual([1, 0]);
      expect(await later(25, findDevice)).toBe(1);
    } finally {
      performance.now = now;
    }
  });

  it('ends with the session, and is nothing of those who are not there', async () => {
    await find('a', new Date(Date.now() + 30));
    await sleep(50);
    expect(await find()).toBe(2);
    const nobody = () => cache.find('cookie:b', async () => (++loads > 0 ? null : tenant));
    expect([await nobody(), await nobody(), loads]).toEqual([null, null, 4]);
  });
});
