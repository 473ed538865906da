import { expect, it } from '@jest/globals';
import { openSse, type SseReader } from '../../api/support/sse-reader.js';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import type { Fleet } from './fleet.js';
import { expectRefusedSoon } from './refused-soon.js';
import { revokedAccess } from './revoked-access.js';

interface Stage {
  readonly fleet: Fleet;
  readonly client: PlatformClient;
}

/** Tests of sessions and of limits that hold over both APIs. @param streams that a person may hold */
export function sharedLimits(stage: () => Stage, streams: number): void {
  const at = (machine: 'a' | 'b') => {
    const { fleet, client } = stage();
    return new PlatformClient(fleet.apis[machine], client.token, client.tenant);
  };

  it('end a session on every API within a second', async () => {
    const { body: signedIn } = await at('a').call('POST', '/auth/jwt/login', {
      form: { username: ADMIN.email, password: ADMIN.password },
    });
    const [onA, onB] = (['a', 'b'] as const).map(
      (machine) => new PlatformClient(stage().fleet.apis[machine], signedIn.access_token),
    ) as [PlatformClient, PlatformClient];
    // Both know it by now without asking the database.
    for (const each of [onA, onB, onA, onB]) await each.expect(200, 'GET', '/users/me');
    await onA.expect(200, 'POST', '/auth/jwt/logout');
    await expectRefusedSoon(async () => (await onB.call('GET', '/users/me')).status, 401);
  });

  revokedAccess(stage);

  it('count the event streams of a person over both', async () => {
    const readers: SseReader[] = [];
    const open = async (machine: 'a' | 'b') => {
      const { fleet, client } = stage();
      const reader = await openSse(`${fleet.apis[machine]}/api/v1/stream/notifications`, {
        authorization: `Bearer ${client.token}`,
        'x-tenant': client.tenant as string,
      });
      readers.push(reader);
      return reader.status;
    };
    try {
      for (let held = 0; held < streams; held += 1) expect(await open(held % 2 === 0 ? 'a' : 'b')).toBe(200);
      expect([await open('b'), await open('a')]).toEqual([429, 429]);
    } finally {
      for (const reader of readers) reader.close();
    }
  });

  it('count wrong passwords over both', async () => {
    const username = 'nobody@example.com';
    const wrong = (machine: 'a' | 'b') =>
      at(machine).call('POST', '/auth/jwt/login', { form: { username, password: 'wrong' } });
    const statuses: number[] = [];
    for (let tries = 0; tries < 60 && statuses.at(-1) !== 429; tries += 1)
      statuses.push((await wrong(tries % 2 === 0 ? 'a' : 'b')).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await wrong(statuses.length % 2 === 0 ? 'a' : 'b')).status).toBe(429);
  });
}
