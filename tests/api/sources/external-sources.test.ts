import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../fakes/source-server/source-faults.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { type CallOptions, startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const TOKEN = 'canary-token-of-the-source-90125';

describe('external sources', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let server: SourceServer;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.1, localhost' });
    tenant = await api.addTenant();
    server = await SourceServer.start({ token: TOKEN });
    server.add({ id: 'scans/2026', name: 'Scans of 2026', modality: 'image', files: 12 });
    server.add({ id: 'empty', files: 0 });
  });
  afterEach(() => server.heal());
  afterAll(async () => {
    await server.close();
    await api.close();
  });

  const call = (method: string, path: string, options: CallOptions = {}) =>
    api.call(method, `/api/v1${path}`, { token: api.admin.token, tenant: tenant.code, ...options });
  const addSource = async (json: Record<string, unknown> = {}): Promise<string> => {
    const made = await call('POST', '/external-sources', {
      json: { name: 'Archive', base_url: server.baseUrl, token: TOKEN, ...json },
    });
    expect(made.status).toBe(201);
    return made.body.id as string;
  };
  const addDataset = async (): Promise<string> =>
    (await call('POST', '/datasets/drafts', { json: { name: 'Copy' } })).body.id as string;
  const test = async (source: string) => (await call('POST', `/external-sources/${source}:test`)).body;

  it('are created with an id from their name, read with the token masked, listed by name', async () => {
    const made = await call('POST', '/external-sources', {
      json: { name: 'Küche (Nacht)', base_url: 'https://data.example.org/api//' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: 'kuche-nacht',
        name: 'Küche (Nacht)',
        base_url: 'https://data.example.org/api',
        token: null,
        description: '',
        enabled: true,
        dataset_count: 0,
      },
    });
    const twin = await call('POST', '/external-sources', {
      json: {
        name: 'Küche (Nacht)',
        base_url: 'https://data.example.org',
        token: TOKEN,
        description: 'zwei',
        enabled: false,
      },
    });
    expect(twin.body).toMatchObject({
      id: 'kuche-nacht-2',
      token: '********',
      enabled: false,
      description: 'zwei',
      created_by: api.admin.id,
    });
    expect((await call('GET', '/external-sources/kuche-nacht-2')).body).toEqual(twin.body);
    const list = await call('GET', '/external-sources');
    expect(list.body.total).toBe(2);
    expect(list.body.items.map((item: { id: string }) => item.id)).toEqual(['kuche-nacht', 'kuche-nacht-2']);
    for (const id of ['kuche-nacht', 'kuche-nacht-2'])
      expect((await call('DELETE', `/external-sources/${id}`)).status).toBe(204);
    expect((await call('GET', '/external-sources/kuche-nacht')).status).toBe(404);
  });

  it.each(['日本', '!!!'])('are called source where their name %s gives no id', async (name) => {
    const made = await call('POST', '/external-sources', { json: { name, base_url: server.baseUrl } });
    expect(made.body.id).toMatch(/^source(-\d+)?$/);
  });

  it.each([
    ['ftp://data.example.org/api'],
    ['data.example.org/api'],
    ['https://user:secret@data.example.org'],
    ['https://data.example.org/?a=1'],
    ['https://data.example.org/#a'],
    ['http://2130706433/api'],
    ['http://0x7f.0.0.1/api'],
    ['http://127.1/api'],
  ])('refuse the address %s and say why', async (base_url) => {
    const answer = await call('POST', '/external-sources', { json: { name: 'x', base_url } });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'unprocessable_entity', detail: [{ loc: ['body', 'base_url'] }] },
    });
    expect(answer.text).not.toContain('secret');
  });

  it('say of another kind of address which kinds there are', async () => {
    const { status, body } = await call('POST', '/external-sources', {
      json: { name: 'x', base_url: 'ftp://x' },
    });
    expect([status, body.detail[0].loc, body.detail[0].msg]).toEqual([
      422,
      ['body', 'base_url'],
      expect.stringMatching(/https.*http/),
    ]);
  });

  it.each([
    { token: 'two words' },
    { token: '' },
    { token: '********' },
    { token: 'line\nbreak' },
    { name: '' },
    { name: 'x'.repeat(201) },
    { base_url: `https://x/${'y'.repeat(2000)}` },
    { enabled: 'maybe' },
  ])('refuse %j with 422', async (json) => {
    expect(
      (
        await call('POST', '/external-sources', {
          json: { name: 'x', base_url: 'https://x.example.org', ...json },
        })
      ).status,
    ).toBe(422);
  });

  it('change field by field; the mask leaves the token, null takes it away', async () => {
    const id = await addSource();
    const patch = async (json: Record<string, unknown>) =>
      (await call('PATCH', `/external-sources/${id}`, { json })).body;
    expect(await patch({})).toMatchObject({ name: 'Archive', token: '********', enabled: true });
    expect(
      await patch({ name: 'Vault', description: 'deep', enabled: false, token: '********' }),
    ).toMatchObject({ id, name: 'Vault', description: 'deep', enabled: false });
    expect(await test(id)).toMatchObject({ status: 'ok', total: 2 });
    expect(await patch({ token: null })).toMatchObject({ token: null });
    expect(await test(id)).toMatchObject({ status: 'failed', reason: 'credentials' });
    expect(await patch({ token: TOKEN })).toMatchObject({ token: '********' });
    expect(await test(id)).toMatchObject({ status: 'ok' });
  });

  it('do not send a stored token to another server: who changes the address gives the token again', async () => {
    const thief = await SourceServer.start();
    const id = await addSource();
    const refused = await call('PATCH', `/external-sources/${id}`, { json: { base_url: thief.baseUrl } });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'token'] }] } });
    expect(
      (
        await call('PATCH', `/external-sources/${id}`, {
          json: { base_url: thief.baseUrl, token: '********' },
        })
      ).status,
    ).toBe(422);
    expect(
      (await call('PATCH', `/external-sources/${id}`, { json: { base_url: `${server.baseUrl}/` } })).status,
    ).toBe(200);
    expect(
      (await call('PATCH', `/external-sources/${id}`, { json: { base_url: thief.baseUrl, token: null } }))
        .status,
    ).toBe(200);
    expect(await test(id)).toMatchObject({ status: 'ok' });
    expect(thief.requests.map((request) => request.authorization)).toEqual([null]);
    await thief.close();
  });

  it('tell in a test what was found, with one entry fetched', async () => {
    const id = await addSource();
    server.requests.length = 0;
    expect(await test(id)).toEqual({
      status: 'ok',
      message: 'The source answers and lists 2 datasets.',
      reason: null,
      next_step: null,
      latency_ms: expect.any(Number),
      total: 2,
      sample: {
        id: 'scans/2026',
        name: 'Scans of 2026',
        modality: 'image',
        updated_at: expect.any(String),
        file_count: 12,
        size_bytes: expect.any(Number),
      },
    });
    expect(server.requests).toMatchObject([{ endpoint: 'list', query: { page: '1', page_size: '1' } }]);
  });

  it.each<[Fault, string]>([
    [{ kind: 'status', status: 401 }, 'credentials'],
    [{ kind: 'status', status: 404 }, 'missing'],
    [{ kind: 'status', status: 500 }, 'busy'],
    [{ kind: 'status', status: 429, retryAfter: '3' }, 'busy'],
    [{ kind: 'body', body: '<html>' }, 'shape'],
    [{ kind: 'noise' }, 'shape'],
    [{ kind: 'cut', afterBytes: 9 }, 'connection'],
    [{ kind: 'endless', of: 'entries' }, 'limit'],
    [{ kind: 'gzip-bomb', bytes: 100_000_000 }, 'limit'],
    [{ kind: 'huge-head', bytes: 30_000 }, 'limit'],
    [{ kind: 'redirect', to: 'http://10.0.0.1/api/datasets' }, 'address'],
    [{ kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data/' }, 'address'],
    [{ kind: 'redirect', to: 'http://[::1]:1/' }, 'address'],
    [{ kind: 'redirect', to: '?' }, 'redirect'],
  ])('tell in a test what %j is, and what to do', async (fault, reason) => {
    const id = await addSource();
    server.fail({ fault });
    const reported = await test(id);
    expect(reported).toMatchObject({
      status: 'failed',
      reason,
      message: expect.stringMatching(/^.{15,300}\.$/s),
      next_step: expect.stringMatching(/\.$/),
      total: null,
      sample: null,
    });
    expect(JSON.stringify(reported)).not.toContain(TOKEN);
    const listed = await call('GET', `/external-sources/${id}/remote-datasets`);
    expect(listed.status).toBe(reason === 'address' ? 409 : 502);
    expect(listed.body.detail).toMatchObject({ reason, next_step: reported.next_step });
  });

  it.each([
    ['http://10.1.2.3/api', 'address'],
    ['http://169.254.169.254/latest', 'address'],
    ['http://[fd00:ec2::254]/', 'address'],
    ['http://[::ffff:7f00:1]:1/', 'address'],
    ['http://nowhere.invalid/api', 'name'],
  ])('reach %s by no way: %s', async (base_url, reason) => {
    expect(await test(await addSource({ base_url }))).toMatchObject({ status: 'failed', reason });
  });

  it('list remote datasets by pages and by time', async () => {
    const id = await addSource();
    const list = (query: string) => call('GET', `/external-sources/${id}/remote-datasets${query}`);
    expect((await list('')).body).toMatchObject({
      total: 2,
      page: 1,
      page_size: 50,
      items: [{ id: 'scans/2026' }, { id: 'empty' }],
    });
    expect((await list('?page=2&page_size=1')).body).toMatchObject({
      total: 2,
      page: 2,
      page_size: 1,
      items: [{ id: 'empty' }],
    });
    expect((await list('?updated_after=2031-01-01T00:00:00%2B02:00')).body).toMatchObject({
      total: 0,
      items: [],
    });
    expect(server.requests.at(-1)?.query.updated_after).toBe('2030-12-31T22:00:00.000Z');
    for (const bad of ['?page=0', '?page_size=201', '?updated_after=soon', '?updated_after=2026-02-31'])
      expect((await list(bad)).status).toBe(422);
  });

  it('are not read while they are disabled, but can be tested', async () => {
    const id = await addSource({ enabled: false });
    expect((await call('GET', `/external-sources/${id}/remote-datasets`)).status).toBe(409);
    expect(await test(id)).toMatchObject({ status: 'ok' });
  });

  it('link a dataset, show the link and take it away again', async () => {
    const [source, dataset] = [await addSource(), await addDataset()];
    const path = `/datasets/${dataset}/source`;
    const free = {
      dataset_id: dataset,
      linked: false,
      source_id: null,
      source_name: null,
      source_enabled: null,
      remote_dataset_id: null,
      interval_s: null,
      linked_at: null,
      linked_by: null,
      active_sync_id: null,
    };
    expect((await call('GET', path)).body).toEqual(free);
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: free });
    const linked = await call('PUT', path, { json: { source_id: source, remote_dataset_id: 'scans/2026' } });
    expect(linked).toMatchObject({
      status: 200,
      body: {
        linked: true,
        source_id: source,
        source_name: 'Archive',
        remote_dataset_id: 'scans/2026',
        interval_s: null,
        linked_by: api.admin.id,
      },
    });
    expect((await call('GET', `/datasets/${dataset}`)).body.external_source).toBe(source);
    expect((await call('GET', `/datasets?external_source=${source}`)).body).toMatchObject({
      total: 1,
      items: [{ id: dataset }],
    });
    const relinked = await call('PUT', path, {
      json: { source_id: source, remote_dataset_id: 'empty', interval_s: 3600 },
    });
    expect(relinked.body).toMatchObject({ remote_dataset_id: 'empty', interval_s: 3600 });
    expect((await call('GET', path)).body).toEqual(relinked.body);
    expect((await call('DELETE', path)).body).toEqual(free);
    expect((await call('GET', `/datasets/${dataset}`)).body.external_source).toBeNull();
  });

  it('refuse links to what is not there, and intervals that make no sense', async () => {
    const [source, dataset] = [await addSource(), await addDataset()];
    const put = (at: string, json: Record<string, unknown>) =>
      call('PUT', `/datasets/${at}/source`, { json });
    expect((await put(dataset, { source_id: 'nobody', remote_dataset_id: 'x' })).body).toMatchObject({
      code: 'unprocessable_entity',
      detail: [{ loc: ['body', 'source_id'] }],
    });
    expect((await put('nothing', { source_id: source, remote_dataset_id: 'x' })).status).toBe(404);
    expect((await call('GET', '/datasets/nothing/source')).status).toBe(404);
    expect((await call('DELETE', '/datasets/nothing/source')).status).toBe(404);
    for (const interval_s of [0, 299, 2_592_001, 400.5, '300x'])
      expect((await put(dataset, { source_id: source, remote_dataset_id: 'x', interval_s })).status).toBe(
        422,
      );
  });

  it('link only what the source lists, unless it is away or disabled', async () => {
    const [source, dataset] = [await addSource(), await addDataset()];
    const put = (remote_dataset_id: string) =>
      call('PUT', `/datasets/${dataset}/source`, { json: { source_id: source, remote_dataset_id } });
    const refused = {
      status: 422,
      body: { code: 'unprocessable_entity', detail: [{ loc: ['body', 'remote_dataset_id'] }] },
    };
    expect(await put('nope')).toMatchObject(refused);
    expect(await put('..')).toMatchObject(refused);
    expect((await put('empty')).status).toBe(200);
    server.fail({ on: 'list', fault: { kind: 'status', status: 500 } });
    expect((await put('later')).status).toBe(200);
    expect(await put('..')).toMatchObject(refused);
    server.heal();
    expect((await put('later')).status).toBe(200);
    await call('PATCH', `/external-sources/${source}`, { json: { enabled: false } });
    server.requests.length = 0;
    expect((await put('not-yet')).status).toBe(200);
    expect(server.requests).toEqual([]);
  });

  it('do not go while datasets use them, unless by force, which unlinks', async () => {
    const source = await addSource();
    const datasets = [await addDataset(), await addDataset()];
    for (const id of datasets)
      await call('PUT', `/datasets/${id}/source`, {
        json: { source_id: source, remote_dataset_id: 'empty' },
      });
    expect((await call('GET', `/external-sources/${source}`)).body.dataset_count).toBe(2);
    const refused = await call('DELETE', `/external-sources/${source}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', detail: { total: 2 } } });
    expect(refused.body.detail.datasets.map((each: { id: string }) => each.id).sort()).toEqual(
      [...datasets].sort(),
    );
    expect((await call('DELETE', `/external-sources/${source}?force=true`)).status).toBe(204);
    for (const id of datasets) {
      expect((await call('GET', `/datasets/${id}/source`)).body).toMatchObject({ linked: false });
      expect((await call('GET', `/datasets/${id}`)).body.external_source).toBeNull();
    }
    expect((await call('DELETE', `/external-sources/${source}?force=true`)).status).toBe(404);
  });

  it('make a dataset of a remote one with its name, and start its first sync', async () => {
    const source = await addSource();
    const made = await call('POST', '/datasets:from-external', {
      json: { source_id: source, remote_dataset_id: 'scans/2026' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Scans of 2026',
        modality: 'image',
        source: 'external',
        external_source: source,
        sync_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect((await call('GET', `/datasets/${made.body.id}/source`)).body).toMatchObject({
      remote_dataset_id: 'scans/2026',
      active_sync_id: made.body.sync_id,
    });
    const refused = await call('DELETE', `/external-sources/${source}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: { datasets: [{ id: made.body.id, sync_id: made.body.sync_id }] } },
    });
    expect(
      (
        await call('PUT', `/datasets/${made.body.id}/source`, {
          json: { source_id: source, remote_dataset_id: 'empty' },
        })
      ).status,
    ).toBe(409);
    expect((await call('DELETE', `/datasets/${made.body.id}/source`)).status).toBe(409);
  });

  it('make a dataset without asking the source when nothing is left open', async () => {
    const source = await addSource();
    server.requests.length = 0;
    const json = {
      source_id: source,
      remote_dataset_id: 'later',
      name: 'Later',
      modality: 'video',
      sync_now: false,
      interval_s: 600,
    };
    expect(await call('POST', '/datasets:from-external', { json })).toMatchObject({
      status: 201,
      body: { name: 'Later', modality: 'video', sync_id: null },
    });
    expect(server.requests).toEqual([]);
  });

  it('make no dataset of what the source does not have, nor when it fails', async () => {
    const [source, disabled] = [await addSource(), await addSource({ enabled: false })];
    const before = (await call('GET', '/datasets')).body.total;
    const post = (json: Record<string, unknown>) => call('POST', '/datasets:from-external', { json });
    expect((await post({ source_id: source, remote_dataset_id: 'nope' })).body).toMatchObject({
      detail: [{ loc: ['body', 'remote_dataset_id'] }],
    });
    expect((await post({ source_id: 'nobody', remote_dataset_id: 'empty' })).body).toMatchObject({
      detail: [{ loc: ['body', 'source_id'] }],
    });
    server.requests.length = 0;
    for (const sync_now of [true, false])
      expect((await post({ source_id: disabled, remote_dataset_id: 'empty', sync_now })).status).toBe(409);
    expect(server.requests).toEqual([]);
    for (const status of [500, 404]) {
      server.heal();
      server.fail({ fault: { kind: 'status', status } });
      expect((await post({ source_id: source, remote_dataset_id: 'empty' })).status).toBe(502);
    }
    expect((await call('GET', '/datasets')).body.total).toBe(before);
  });

  it('are read by everybody in the tenant, and changed by those who may write datasets', async () => {
    const id = await addSource();
    const viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    const as = (method: string, path: string, json?: unknown) =>
      call(method, path, { token: viewer.token, ...(json === undefined ? {} : { json }) });
    expect((await as('GET', '/external-sources')).status).toBe(200);
    expect((await as('GET', `/external-sources/${id}/remote-datasets`)).status).toBe(200);
    for (const [method, path, json] of [
      ['POST', '/external-sources', { name: 'x', base_url: 'https://x.org' }],
      ['PATCH', `/external-sources/${id}`, {}],
      ['DELETE', `/external-sources/${id}`, undefined],
      ['POST', `/external-sources/${id}:test`, undefined],
    ] as const)
      expect((await as(method, path, json)).status).toBe(403);
  });

  it('leave their token nowhere: not in the database, the audit, nor in what is answered', async () => {
    const id = await addSource();
    await call('PATCH', `/external-sources/${id}`, { json: { token: `${TOKEN}-2` } });
    await test(id);
    await call('GET', `/external-sources/${id}/remote-datasets`);
    const audit = await call('GET', '/audit?page_size=200');
    expect(audit.text).not.toContain(TOKEN);
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query<{ name: string }>(
        "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
      ),
    );
    const dump = await Promise.all(
      rows.map(({ name }) =>
        api.container.db
          .inPlatform((tx) => tx.query<{ row: string }>(`select t::text as row from ${name} t`))
          .catch(() => []),
      ),
    );
    expect(dump.flat().length).toBeGreaterThan(10);
    expect(dump.flat().filter(({ row }) => row.includes(TOKEN))).toEqual([]);
  });

  it('keep a token that was copied into another row closed', async () => {
    const [first, second] = [await addSource(), await addSource({ token: 'another' })];
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        'update external_source set sealed_token = (select sealed_token from external_source where key = $1) where key = $2',
        [first, second],
      ),
    );
    server.requests.length = 0;
    expect((await call('POST', `/external-sources/${second}:test`)).status).toBe(500);
    expect(server.requests).toEqual([]);
  });
});
