import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countTokensOfOlderKeys } from '../../../models/edge/fleet.platform.js';
import { startApiBeside, startTestApi, type TestApi } from '../support/test-api.js';
import { EdgeKit, within } from './support/edge-kit.js';

const entry = (id: string, seed: number) =>
  `${id}:${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + seed) % 256)).toString('base64')}`;
const [K1, K2] = [entry('k1', 1), entry('k2', 2)];

describe('the server key under which tokens of devices are stored', () => {
  let api: TestApi;
  let kit: EdgeKit;

  beforeAll(async () => {
    api = await startTestApi({ SERVICE_SECRET_KEYS: K1 });
    kit = new EdgeKit(api, await api.addTenant());
  });
  afterAll(() => api.close());

  /** An API process with these keys. */
  const withKeys = async <T>(
    keys: string,
    work: (status: (token: string) => Promise<number>) => Promise<T>,
  ): Promise<T> => {
    const beside = await startApiBeside({ ...api, env: { ...api.env, SERVICE_SECRET_KEYS: keys } });
    const status = async (token: string) =>
      (await beside.call('GET', '/api/v1/edge/config', { headers: { 'x-edge-token': token } })).status;
    try {
      return await work(status);
    } finally {
      await beside.close();
    }
  };

  it('can be given up once devices have called with a newer one', async () => {
    const [called, silent] = [await kit.device(), await kit.device()];
    const left = () => countTokensOfOlderKeys(api.container.db, 'k2', new Date());
    expect(await left()).toBe(2);
    await withKeys(`${K2},${K1}`, async (status) => {
      expect(await status(called.token)).toBe(200);
      expect(await within(5000, async () => (await left()) === 1)).toBe(true);
      expect(await status(called.token)).toBe(200);
    });
    expect(
      await withKeys(K2, (status) => Promise.all([called, silent].map(({ token }) => status(token)))),
    ).toEqual([200, 401]);
  });
});
