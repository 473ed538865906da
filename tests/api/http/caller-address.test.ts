import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';

/** @returns the address that the platform notes of a sign-in whose caller names `forwarded` */
async function recorded(api: TestApi, forwarded: string): Promise<string | null> {
  const form = { username: api.admin.email, password: api.admin.password };
  const signedIn = await api.call('POST', '/auth/jwt/login', {
    form,
    headers: { 'x-forwarded-for': forwarded },
  });
  const token = signedIn.body.access_token as string;
  const code = `t${Date.now()}${Math.floor(Math.random() * 1e6)}`;
  await api.call('POST', '/api/v1/settings/tenants', {
    token,
    headers: { 'x-forwarded-for': forwarded },
    json: { code, name: code },
  });
  const sessions = await api.call('GET', '/users/me/sessions', { token });
  const audited = await api.call('GET', '/api/v1/system/audit?action=tenant.create&page_size=1', { token });
  const ips = [
    sessions.body.items.find(({ is_current }: { is_current: boolean }) => is_current).ip,
    audited.body.items[0].ip,
  ];
  expect(ips[0]).toBe(ips[1]);
  return ips[0] as string | null;
}

const FORGED = [
  '203.0.113.9',
  '2001:db8::7',
  'anything <b>at all</b>',
  '::1%zone',
  '203.0.113.9:80',
  'a'.repeat(500),
];

describe('the address of a caller', () => {
  let plain: TestApi;
  let proxied: TestApi;
  beforeAll(async () => {
    plain = await startTestApi();
    proxied = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback, 10.0.0.0/8' });
  });
  afterAll(async () => {
    await plain.close();
    await proxied.close();
  });

  it.each(FORGED)(
    'is that of the connection where no proxy is trusted, whatever the caller says: %s',
    async (forwarded) => {
      expect(await recorded(plain, forwarded)).toBe('127.0.0.1');
    },
  );

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8::7', '2001:db8::7'],
    ['198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['anything <b>at all</b>', '127.0.0.1'],
    ['anything, 10.1.2.3', '10.1.2.3'],
    ['203.0.113.9:80', '127.0.0.1'],
    ['::1%zone', '::1'],
  ])(
    'is the farthest address that a trusted proxy names, and never another text: %s',
    async (forwarded, expected) => {
      expect(await recorded(proxied, forwarded)).toBe(expected);
    },
  );
});
