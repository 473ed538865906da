import type { Request } from 'express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newAccessToken } from '../../../api/auth/access-token-text.js';
import { DeviceAuthenticator } from '../../../api/auth/device-authenticator.js';
import { SessionCache } from '../../../api/auth/session-cache.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import { EdgeKit, type PlayedDevice } from '../edge/support/edge-kit.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('devices whose tokens a process does not know yet', () => {
  let api: TestApi;
  let devices: PlayedDevice[];

  beforeAll(async () => {
    api = await startTestApi();
    const kit = new EdgeKit(api, await api.addTenant());
    devices = await Promise.all(Array.from({ length: 12 }, () => kit.device()));
  });
  afterAll(() => api.close());

  /** A process of its own, which counts the transactions that it runs at the connections of those who sign in. */
  function cold() {
    const { db, settings } = api.container;
    const counted = { all: 0, now: 0, most: 0 };
    const counting = {
      inAuth: async (work: Parameters<Database['inAuth']>[0]) => {
        counted.all += 1;
        counted.now += 1;
        counted.most = Math.max(counted.most, counted.now);
        return db.inAuth(work).finally(() => {
          counted.now -= 1;
        });
      },
    } as Database;
    const authenticator = new DeviceAuthenticator(counting, new SessionCache(() => true), settings);
    const keyOf = async (token: string) => {
      const req = { headers: { 'x-edge-token': token } } as unknown as Request;
      return authenticator.authenticate(req, []).then(
        ({ key }) => key,
        ({ code }) => code as string,
      );
    };
    return { counted, keyOf };
  }

  it('are found by one statement where they come together, each by its own token', async () => {
    const { counted, keyOf } = cold();
    const unknown = newAccessToken(api.container.settings.SERVICE_SECRET_KEYS, 'device').token;
    const tokens = [unknown, ...devices.map(({ token }) => token), 'no token'];
    const found = ['unauthorized', ...devices.map(({ id }) => id), 'unauthorized'];
    expect(await Promise.all(tokens.map(keyOf))).toEqual(found);
    expect(counted.all).toBe(1);
    expect(await Promise.all(devices.map(({ token }) => keyOf(token)))).toEqual(found.slice(1, -1));
    expect(counted.all).toBe(1);
  });

  it('leave most connections to people when a whole fleet comes', async () => {
    const { counted, keyOf } = cold();
    const { SERVICE_SECRET_KEYS: keys } = api.container.settings;
    const others = Array.from({ length: 1600 }, () => newAccessToken(keys, 'device').token);
    const [first] = devices as [PlayedDevice];
    const found = await Promise.all([...others, first.token].map(keyOf));
    expect(found.filter((key) => key !== 'unauthorized')).toEqual([first.id]);
    expect([counted.all, counted.most]).toEqual([4, 2]);
  });

  it('are asked to come back at different times where they cannot be found', async () => {
    const { db } = api.container;
    const inAuth = db.inAuth.bind(db);
    const kit = new EdgeKit(api, { id: '', code: '' });
    try {
      db.inAuth = () => Promise.reject(unavailable('The database is away.'));
      const answers = await Promise.all(
        devices.map(({ id }) => kit.asDevice(id, `voed_${id.padEnd(43, '_')}`).call('GET', '/config')),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      const seconds = answers.map(({ headers }) => Number(headers.get('retry-after')));
      expect(seconds.filter((each) => !(each >= 5 && each <= 10))).toEqual([]);
      expect(new Set(seconds).size).toBeGreaterThan(1);
      const person = await api.call('POST', '/auth/jwt/login', {
        form: { username: api.admin.email, password: api.admin.password },
      });
      expect([person.status, person.headers.get('retry-after')]).toEqual([503, '5']);
    } finally {
      db.inAuth = inAuth;
    }
  });
});
