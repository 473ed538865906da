import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SessionCache } from '../../../api/auth/session-cache.js';

describe('what a process knows of those who call', () => {
  let isListening: boolean;
  let loads: number;
  let cache: SessionCache;
  beforeEach(() => {
    [isListening, loads] = [true, 0];
    cache = new SessionCache(() => isListening);
  });
  const find = (expiresAt: Date | null = null, ready: Promise<void> = Promise.resolve()) =>
    cache.find('cookie:a', async () => {
      const load = { nth: ++loads, expiresAt };
      await ready;
      return load;
    });

  it('is loaded once for all who ask, until something changes', async () => {
    const asked = await Promise.all([find(), find()]);
    expect([...asked, await find()].map((one) => one?.nth)).toEqual([1, 1, 1]);
    cache.drop();
    expect((await find())?.nth).toBe(2);
  });

  it('is not what a load found that a change overtook', async () => {
    const early = find(null, sleep(30));
    cache.drop();
    const late = await find();
    expect([(await early)?.nth, late?.nth, (await find())?.nth]).toEqual([1, 2, 2]);
  });

  it('is nobody where the load that was overtaken finds nobody', async () => {
    const early = cache.find('cookie:a', () => sleep(30).then(() => null));
    cache.drop();
    expect([await early, (await find())?.nth]).toEqual([null, 1]);
  });

  it('is nothing while changes could be missed', async () => {
    await find();
    isListening = false;
    expect([(await find())?.nth, (await find())?.nth]).toEqual([2, 3]);
  });

  it('ends with the session, and is nothing of those who are not there', async () => {
    await find(new Date(Date.now() + 30));
    await sleep(50);
    expect((await find())?.nth).toBe(2);
    const nobody = () => cache.find('cookie:b', async () => (++loads > 0 ? null : {}));
    expect([await nobody(), await nobody(), loads]).toEqual([null, null, 4]);
  });
});
