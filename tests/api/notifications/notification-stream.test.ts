import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messages } from '../../../models/notifications/messages.rules.js';
import { openSse, type SseReader } from '../support/sse-reader.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { allTold, feed, startTelling, tell } from './support/notify-loop.js';

const invalid = () => messages.datasetInvalid({ id: randomUUID(), name: 'digits', createdBy: null });

describe('the stream of notifications', () => {
  let api: TestApi;
  let stop: () => Promise<void>;
  let tenant: TestTenant;
  let user: TestUser;
  const readers: SseReader[] = [];

  beforeAll(async () => {
    api = await startTestApi();
    stop = startTelling(api);
  });
  beforeEach(async () => {
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'DATA_ENGINEER' });
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });
  afterAll(async () => {
    await stop();
    await api.close();
  });

  const follow = async (who: TestUser): Promise<SseReader> => {
    const reader = await openSse(`${api.base}/api/v1/stream/notifications`, {
      authorization: `Bearer ${who.token}`,
    });
    readers.push(reader);
    expect(reader.status).toBe(200);
    expect(await reader.next()).toEqual({ event: 'connected', data: { channel: `notifications:${who.id}` } });
    return reader;
  };
  /** @returns how long the stream went on, in milliseconds */
  const untilEnd = async (reader: SseReader) => {
    const startedAt = Date.now();
    await expect(reader.next(8000)).rejects.toThrow('ended');
    return Date.now() - startedAt;
  };

  it('needs a session but no tenant, and reports what happens in any of them', async () => {
    const second = await api.addTenant();
    const both = await api.addUser({ [tenant.code]: 'DATA_ENGINEER', [second.code]: 'DATA_ENGINEER' });
    const reader = await follow(both);
    for (const [place, where] of [tenant, second].entries()) {
      await tell(api, where, invalid());
      const { event, data } = await reader.next();
      expect([event, data]).toEqual([
        'notification',
        {
          id: (await feed(api, both, where))[0]?.id,
          at: expect.stringMatching(/Z$/),
          tenant_code: where.code,
          group: 'datasets',
          kind: 'dataset_invalid',
          unread: place + 1,
        },
      ]);
    }
    expect((await openSse(`${api.base}/api/v1/stream/notifications`)).status).toBe(401);
  });

  it('notifies every window of the person when an entry is read, once for each change', async () => {
    await tell(api, tenant, invalid());
    await tell(api, tenant, invalid());
    await allTold(api);
    const [one] = await feed(api, user, tenant);
    // What was sent before is on its way for some milliseconds yet.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const windows = [await follow(user), await follow(user)];
    const post = (path: string) =>
      api.call('POST', `/api/v1/notifications/${path}`, { token: user.token, tenant: tenant.code });
    await post(`${one?.id}/read`);
    for (const reader of windows)
      expect((await reader.next()).data).toMatchObject({
        id: one?.id,
        tenant_code: tenant.code,
        kind: 'dataset_invalid',
        unread: 1,
      });
    await post(`${one?.id}/read`);
    await post('read-all');
    for (const reader of windows)
      expect((await reader.next()).data).toMatchObject({
        tenant_code: tenant.code,
        group: null,
        kind: null,
        unread: 0,
      });
    await post('read-all');
    await expect(windows[0]?.next(300)).rejects.toThrow('no event');
  });

  it('notifies nobody else, and not who left the tenant or lost the permission', async () => {
    const [other, left, demoted] = [
      await api.addUser({ [tenant.code]: 'VIEWER' }),
      await api.addUser({ [tenant.code]: 'ADMIN' }),
      await api.addUser({ [tenant.code]: 'ADMIN' }),
    ];
    const readersOf = [await follow(other), await follow(left), await follow(demoted)];
    await api.call('DELETE', `/api/v1/system/users/${left.id}/role?tenant=${tenant.code}`, {
      token: api.admin.token,
    });
    await api.call('PATCH', `/api/v1/system/users/${demoted.id}/role`, {
      token: api.admin.token,
      json: { tenant_code: tenant.code, role: 'VIEWER' },
    });
    await tell(api, tenant, invalid());
    await allTold(api);
    expect(await feed(api, user, tenant)).toHaveLength(1);
    for (const reader of readersOf) await expect(reader.next(300)).rejects.toThrow('no event');
  });

  it('ends within 5 s when the account is disabled', async () => {
    const reader = await follow(user);
    await api.call('POST', `/api/v1/system/users/${user.id}/disable`, { token: api.admin.token });
    expect(await untilEnd(reader)).toBeLessThan(5000);
  });

  it('ends within 5 s when the password changes', async () => {
    const reader = await follow(user);
    const changed = await api.call('POST', '/users/me/password', {
      token: user.token,
      json: { current_password: user.password, new_password: 'another horse 4712' },
    });
    expect(changed.status).toBe(204);
    expect(await untilEnd(reader)).toBeLessThan(5000);
  });

  it('ends within 5 s of a sign-out, and leaves streams of other sign-ins alone', async () => {
    const elsewhere = { ...user, token: await api.signIn(user.email, user.password) };
    const [here, there] = [await follow(user), await follow(elsewhere)];
    expect((await api.call('POST', '/auth/jwt/logout', { token: user.token })).status).toBe(200);
    expect(await untilEnd(here)).toBeLessThan(5000);
    await tell(api, tenant, invalid());
    expect((await there.next()).event).toBe('notification');
  });
});
