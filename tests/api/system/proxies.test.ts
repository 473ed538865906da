import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { proxyFinding } from '../../../api/system/proxy-finding.js';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('proxies that are not named', () => {
  let plain: TestApi;
  let proxied: TestApi;
  beforeAll(async () => {
    plain = await startTestApi();
    proxied = await startTestApi({ SERVICE_TRUST_PROXY: 'loopback' });
  });
  afterAll(async () => {
    await plain.close();
    await proxied.close();
  });

  const findingOf = async (api: TestApi) => {
    const { body } = await api.call('GET', '/api/v1/system/health', { token: api.admin.token });
    return (body.configuration as Array<{ name: string; message: string; hint: string | null }>).find(
      ({ name }) => name === 'proxies',
    );
  };

  it.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded'])(
    'are shown by the health page once %s came from one, and only then',
    async (header) => {
      const before = await findingOf(proxied);
      expect(before).toMatchObject({ status: 'ok', message: 'Trusts loopback.', hint: null });
      for (const api of [plain, proxied])
        await api.call('GET', '/users/me', { headers: { [header]: 'secret-of-a-header' } });
      const found = await findingOf(plain);
      expect(found).toMatchObject({ status: 'warning' });
      expect(found?.message).toContain(`Requests from 127.0.0.1 came with ${header}, which is ignored`);
      expect(found?.hint).toContain('SERVICE_TRUST_PROXY');
      expect(JSON.stringify(found)).not.toContain('secret-of-a-header');
      expect(await findingOf(proxied)).toEqual(before);
    },
  );

  it.each([
    ['https://vision.example.com', 'none', 'warning'],
    ['https://vision.example.com', '10.0.0.0/8', 'ok'],
    ['http://vision.example.com', 'none', 'ok'],
    ['http://127.0.0.1:8080', 'loopback', 'ok'],
  ])('are expected by the settings: %s with %s is %s', (SERVICE_BASE_URL, SERVICE_TRUST_PROXY, status) => {
    const finding = proxyFinding({ SERVICE_BASE_URL, SERVICE_TRUST_PROXY }, null);
    expect([finding.status, finding.hint === null]).toEqual([status, status === 'ok']);
  });
});
