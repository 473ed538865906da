import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { TenantLane, type TenantDatabase } from '../../../models/orm/tenant-lane.js';

const [CROWD, OTHER] = [asTenantId(randomUUID()), asTenantId(randomUUID())];
/** Transactions are the test's own work. */
const database = { inTenant: (_: unknown, work: () => Promise<unknown>) => work() } as TenantDatabase;

describe('a lane of the tenants’ pool', () => {
  it('gives a crowd its places one after the other, and another tenant the last of them', async () => {
    const lane = new TenantLane(database, 3);
    const done = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    const crowd = Array.from({ length: 20 }, () =>
      lane.inTenant(CROWD, async () => {
        running += 1;
        most = Math.max(most, running);
        await done.promise;
        running -= 1;
      }),
    );
    expect(await lane.inTenant(OTHER, async () => 'served')).toBe('served');
    expect(running).toBe(2);
    done.resolve();
    await Promise.all(crowd);
    expect(most).toBe(2);
  });

  it('shows who waits too long to come back, and lets work that has begun end', async () => {
    const lane = new TenantLane(database, 1, 20);
    const slow = lane.inTenant(CROWD, () => sleep(200).then(() => 'ended'));
    await expect(lane.inTenant(CROWD, async () => 'late')).rejects.toMatchObject({
      code: 'service_unavailable',
      options: { retryAfterS: 5 },
    });
    const crowd = Array.from({ length: 600 }, () =>
      lane.inTenant(CROWD, async () => 'crowd').catch(() => 'late'),
    );
    expect(await Promise.race([crowd[599], sleep(10)])).toBe('late');
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['late']));
    expect(await slow).toBe('ended');
    expect(await lane.inTenant(CROWD, async () => 'next')).toBe('next');
  });
});
