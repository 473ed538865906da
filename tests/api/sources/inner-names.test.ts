import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteSource } from '../../../adapters/http/http-remote-source.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('names that a tenant may not call', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1${path}`, {
      token: api.admin.token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  /** Everything that is answered about a name, without the name itself and what every answer has of its own. */
  const reported = async (host: string): Promise<unknown> => {
    const made = await call('POST', '/external-sources', { name: 'Probe', base_url: `http://${host}:9/api` });
    const tested = await call('POST', `/external-sources/${made.body.id}:test`);
    const listed = await call('GET', `/external-sources/${made.body.id}/remote-datasets`);
    const plain = JSON.stringify([
      tested.status,
      { ...tested.body, latency_ms: 0 },
      listed.status,
      { ...listed.body, error_id: '' },
    ]);
    return JSON.parse(plain.replaceAll(host, 'the-name'));
  };

  it('are answered alike by tests and lists, whether they lead inside or nowhere', async () => {
    const inside = await reported('localhost');
    expect(inside).toMatchObject([
      200,
      { status: 'failed', reason: 'name', total: null, sample: null },
      502,
      { detail: { reason: 'name' } },
    ]);
    expect(await reported('nowhere.invalid')).toEqual(inside);
  });

  it.each<[string, NodeJS.ErrnoException | null, readonly string[]]>([
    ['leads to a private address', null, ['10.0.0.9']],
    ['leads to a private address beside a public one', null, ['8.8.8.8', '10.0.0.9']],
    ['leads to the metadata of a cloud', null, ['169.254.169.254']],
    ['leads to this machine', null, ['::1']],
    ['has no address', null, []],
    ['is unknown', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), []],
    ['is not answered for', Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), []],
  ])('are answered alike where one %s', async (_case, error, addresses) => {
    const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const remote = createRemoteSource({ allow: '', resolve: (_host, callback) => callback(error, entries) });
    const failed = remote.listDatasets(
      { tenantId: 't1', baseUrl: 'http://data.intern/api', token: null },
      { page: 1, pageSize: 1 },
    );
    await expect(failed).rejects.toMatchObject({
      code: 'bad_gateway',
      message:
        'The name data.intern cannot be called: the DNS of the platform does not know it, or it leads to an address the platform may not call.',
      detail: {
        reason: 'name',
        next_step:
          'Check the spelling of base_url, or ask the administrator to add the name, with this port or without any, to SERVICE_OUTBOUND_ALLOW.',
      },
    });
    await remote.close();
  });
});
