import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

const MAX_BODY = 64 * 1024;
const unknownKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));
const MANY = unknownKeys(19_000);

describe('a body with very many mistakes', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let developer: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    developer = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
  });
  afterAll(() => api.close());

  const send = (path: string, json: unknown) =>
    api.call('POST', path, { token: developer.token, tenant: tenant.code, json });
  const config = { task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'digits' };

  it('gets at most 100 findings in 64 KiB, each with the nearest known name alone', async () => {
    const answer = await send('/api/v1/training/experiments', { ...config, ...MANY, split: { trian: 0.8 } });
    expect([answer.status, answer.body.detail.length]).toEqual([422, 100]);
    expect(answer.text.length).toBeLessThanOrEqual(MAX_BODY);
    expect(answer.body.detail[0]).toEqual({
      loc: ['body', 'k0'],
      msg: 'is not a known key',
      type: 'extra_forbidden',
    });
    const typo = await send('/api/v1/training/experiments', { ...config, modle: 'x' });
    expect(typo.body.detail.map(({ msg }: { msg: string }) => msg)).toContain(
      'is not a known key; did you mean "model"?',
    );
  });

  it('is refused before it is taken apart where it holds as many keys as 1 MB takes', async () => {
    const answer = await send('/api/v1/training/experiments', { ...config, ...unknownKeys(85_000) });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [{ loc: ['body'], msg: 'holds more than 20000 keys', type: 'value_error' }],
    ]);
  });

  it('gets no more where a config is only checked', async () => {
    const answer = await send('/api/v1/training/experiments:validate', { ...config, ...MANY });
    expect([answer.status, answer.body.valid, answer.body.errors.length]).toEqual([200, false, 100]);
    expect(answer.text.length).toBeLessThanOrEqual(MAX_BODY);
  });

  it('does not get its own names back at full length', async () => {
    const long = await send('/api/v1/training/experiments', { ...config, ['n'.repeat(900_000)]: 1 });
    expect([long.status, Buffer.byteLength(long.text) <= 2048]).toEqual([422, true]);
    const wide = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`${at}${'\u{1f431}'.repeat(1000)}`, 1]),
    );
    const many = await send('/api/v1/training/experiments', { ...config, ...wide });
    expect([many.status, Buffer.byteLength(many.text) <= MAX_BODY]).toEqual([422, true]);
    expect(many.body.detail.length).toBeGreaterThan(10);
    const labels = await api.call('POST', '/api/v1/settings/tenants', {
      token: api.admin.token,
      json: {
        code: 'q',
        name: 'x',
        kpi_targets: Object.fromEntries(
          Array.from({ length: 500 }, (_, at) => [`${at}${'k'.repeat(1900)}`, 'x']),
        ),
      },
    });
    expect([labels.status, Buffer.byteLength(labels.text) <= MAX_BODY]).toEqual([422, true]);
  });

  it('gets one line for each of at most 100 unknown hyperparameters', async () => {
    const hyperparameters = Array.from({ length: 900 }, (_, at) => `zz${at}: 1`).join('\n');
    const answer = await send('/api/v1/training/experiments', { ...config, hyperparameters });
    const found = answer.body.detail.filter(({ loc }: { loc: string[] }) => loc[1] === 'hyperparameters');
    expect([answer.status, Buffer.byteLength(answer.text) <= MAX_BODY]).toEqual([422, true]);
    expect(found.length).toBeGreaterThan(50);
    expect(found[0].msg).toBe('zz0 is not a known key');
  });
});
