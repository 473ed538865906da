import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CommandWaiters, heldMs } from '../../../api/edge/command-waiters.js';
import { unavailable } from '../../../core/errors/app-error.js';
import { AUTH_CHANNEL } from '../../../models/access/auth-change.js';
import { COMMANDS_CHANNEL } from '../../../models/edge/commands/wake-devices.sql.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { Listener, Subscription } from '../../../models/orm/listener.js';

const DEVICE = { deviceId: '7c0f8b3e-2a51-4a0e-9a86-0a6f2f0d4f01', tenantId: 'a tenant' };

/** Waiters with a command for whoever asks the database. */
function setUp() {
  const subscriptions: Subscription[] = [];
  const listener = {
    subscribe: (subscription: Subscription) => {
      subscriptions.push(subscription);
      return () => undefined;
    },
  } as unknown as Listener;
  let waiting = 0;
  let claims = 0;
  const released: unknown[] = [];
  let answered: Promise<void> = Promise.resolve();
  const claimed: Array<readonly string[]> = [];
  const failures: unknown[] = [];
  const db = {
    inPlatform: async (work: (tx: unknown) => Promise<unknown>) =>
      work({
        rows: async (_sql: string, [ids]: readonly unknown[]) => {
          released.push(ids);
          return [];
        },
      }),
    inPlatformOnce: async (_sql: string, [ids]: readonly [readonly string[]]) => {
      claims += 1;
      claimed.push(ids);
      await answered;
      if (failures.length > 0) throw failures.shift();
      const found = waiting > 0 ? [{ id: 'command', deviceId: DEVICE.deviceId, createdAt: new Date() }] : [];
      waiting = 0;
      return found;
    },
  } as unknown as Database;
  const waiters = new CommandWaiters(db, listener);
  const on = (channel: string) => subscriptions.filter((each) => each.channel === channel);
  return {
    waiters,
    claims: () => claims,
    /** The devices of each claim. */
    claimed,
    /** What the next claims throw. */
    failures,
    released,
    /** What is asked of the database from now on is answered when this is called. */
    holdAnswers: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = promise;
      return resolve;
    },
    give: () => {
      waiting += 1;
    },
    notify: (channel: string, payload: string) => {
      for (const { onNotify } of on(channel)) onNotify?.(payload);
    },
    reconnect: () => {
      for (const { onUp } of subscriptions) onUp?.();
    },
  };
}

const { signal } = new AbortController();
const allowed = async () => undefined;

describe('held polls', () => {
  it('are asked again whether they are allowed, before any command, after a break of the listening connection', async () => {
    const { waiters, claims, give, reconnect } = setUp();
    const held = waiters.poll(DEVICE, 60_000, signal, allowed);
    await setImmediate();
    await setImmediate();
    const before = claims();
    give();
    reconnect();
    expect(await held).toBe('changed');
    expect(claims()).toBe(before);
    waiters.close();
  });

  it('end where a change fell between their authentication and their wait', async () => {
    const { waiters, claims, give, notify } = setUp();
    give();
    const blocked = new Error('This device is blocked.');
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const held = waiters.poll(DEVICE, 60_000, signal, async () => {
      await asked;
      throw blocked;
    });
    // A call that comes while it is asked delivers nothing.
    notify(COMMANDS_CHANNEL, DEVICE.deviceId);
    await setImmediate();
    answer();
    await expect(held).rejects.toBe(blocked);
    expect([claims(), waiters.size]).toEqual([0, 0]);
    waiters.close();
  });

  it('get nothing that was claimed for the poll before, until they were asked themselves', async () => {
    const { waiters, give, released, holdAnswers } = setUp();
    const answer = holdAnswers();
    give();
    const before = waiters.poll(DEVICE, 60_000, signal, allowed);
    await setImmediate();
    await setImmediate();
    const blocked = new Error('This device is blocked.');
    const asked = Promise.withResolvers<void>();
    const held = waiters.poll(DEVICE, 60_000, signal, () => asked.promise);
    expect(await before).toEqual([]);
    answer();
    await setImmediate();
    await setImmediate();
    asked.reject(blocked);
    await expect(held).rejects.toBe(blocked);
    expect(released).toEqual([['command']]);
    waiters.close();
  });

  it('end with a change of their device or their tenant', async () => {
    const { waiters, notify } = setUp();
    for (const change of [{ deviceId: DEVICE.deviceId }, { tenantId: DEVICE.tenantId }]) {
      const held = waiters.poll(DEVICE, 60_000, signal, allowed);
      notify(AUTH_CHANNEL, JSON.stringify(change));
      expect(await held).toBe('changed');
    }
    waiters.close();
  });

  it('with time left outlast a failure of the database, and get what there is as soon as it answers', async () => {
    const { waiters, failures, give, claimed } = setUp();
    const away = unavailable('The database is away.');
    failures.push(away, away);
    const held = waiters.poll(DEVICE, 60_000, signal, allowed);
    const short = waiters.poll({ ...DEVICE, deviceId: 'short' }, 300, signal, allowed);
    const impatient = waiters.poll({ ...DEVICE, deviceId: 'impatient' }, 0, signal, allowed);
    await expect(impatient).rejects.toBe(away);
    expect(claimed).toEqual([['impatient', DEVICE.deviceId, 'short']]);
    expect([await short, waiters.size]).toEqual([[], 1]);
    const late = waiters.poll({ ...DEVICE, deviceId: 'late' }, 0, signal, allowed);
    await expect(late).rejects.toBe(away);
    expect(claimed.slice(1)).toEqual([['late', DEVICE.deviceId]]);
    give();
    expect(await held).toMatchObject([{ id: 'command' }]);
    waiters.close();
  });

  it('end with what is no passing failure', async () => {
    const { waiters, failures, claims } = setUp();
    const broken = new Error('broken');
    failures.push(broken);
    await expect(waiters.poll(DEVICE, 60_000, signal, allowed)).rejects.toBe(broken);
    expect([claims(), waiters.size]).toEqual([1, 0]);
    waiters.close();
  });

  it('of many devices are served in parts, of which one that fails costs no other', async () => {
    const { waiters, failures, claimed } = setUp();
    failures.push(new Error('broken'));
    const held = Array.from({ length: 1200 }, (_, n) =>
      waiters.poll({ ...DEVICE, deviceId: String(n) }, 60_000, signal, allowed),
    );
    const failed = held.slice(0, 500).map((poll) => expect(poll).rejects.toThrow('broken'));
    await Promise.all(failed);
    await setImmediate();
    expect([claimed.map(({ length }) => length), waiters.size]).toEqual([[500, 500, 200], 700]);
    expect(new Set(claimed.flat()).size).toBe(1200);
    waiters.close();
    await Promise.all(held.slice(500));
  });

  it('of a fleet end at different times, up to a tenth sooner than asked, and short ones as asked', () => {
    expect([0, 1, 5].map(heldMs)).toEqual([0, 1000, 5000]);
    for (const [waitS, ms] of [
      [6, 6000],
      [60, 60_000],
      [2_147_483_647, 60_000],
    ] as const) {
      const held = Array.from({ length: 50 }, () => heldMs(waitS));
      expect(new Set(held).size).toBeGreaterThan(10);
      expect([Math.min(...held) > ms * 0.9, Math.max(...held) <= ms]).toEqual([true, true]);
    }
  });
});
