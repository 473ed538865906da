import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registerDigits } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { EdgeKit, type PlayedDevice } from './support/edge-kit.js';

describe('models for devices', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let kit: EdgeKit;
  let device: PlayedDevice;
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, n) => n % 251));
  const sha256 = createHash('sha256').update(bytes).digest('hex');

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    kit = new EdgeKit(api, tenant);
    device = await kit.device();
    await api.container.objects.ensureBucket();
    const register = (model: string, files: Map<string, Buffer>) =>
      registerDigits(api.container.settings, api.container.db, tenant.id, model, files);
    await register('single', new Map([['model.onnx', bytes]]));
    await register('single', new Map([['model.onnx', bytes.subarray(0, 10)]]));
    await register(
      'folder',
      new Map([
        ['MLmodel', Buffer.from('flavors: {}\n')],
        ['data/weights.bin', bytes],
      ]),
    );
  });
  afterAll(() => api.close());

  const fetchBytes = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${api.base}/api/v1/edge${path}`, {
      headers: { 'x-edge-token': device.token, ...headers },
    });
    return { answer, body: Buffer.from(await answer.arrayBuffer()) };
  };

  it('are listed with versions and files', async () => {
    const list = await device.call('GET', '/models');
    expect(list.body).toEqual({
      items: [
        { name: 'folder', version_count: 1, latest_version: 1, production_version: null },
        { name: 'single', version_count: 2, latest_version: 2, production_version: null },
      ],
      total: 2,
    });
    const versions = await device.call('GET', '/models/single/versions');
    expect(versions.body.items.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(versions.body.items[1].files).toEqual([
      { path: expect.stringContaining('model.onnx'), size_bytes: 5000, sha256 },
    ]);
    expect((await device.call('GET', '/models/none/versions')).status).toBe(404);
    const one = await device.call('GET', '/models/single/versions?version=1');
    expect(one.body).toEqual({ items: [versions.body.items[1]], total: 1 });
    expect((await device.call('GET', '/models/single/versions?version=9')).body.total).toBe(0);
    expect((await device.call('GET', '/models/none/versions?version=1')).status).toBe(404);
  });

  it('are downloaded whole, in ranges and not again', async () => {
    const warned: string[] = [];
    const listen = ({ name }: Error) => warned.push(name);
    process.on('warning', listen);
    const whole = await fetchBytes('/models/single/1/download');
    expect([whole.answer.status, whole.body.equals(bytes)]).toEqual([200, true]);
    expect(whole.answer.headers.get('etag')).toBe(`"${sha256}"`);
    expect(whole.answer.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    );
    const rest = await fetchBytes('/models/single/1/download', {
      range: 'bytes=1234-',
      'if-range': `"${sha256}"`,
    });
    expect([rest.answer.status, rest.body.equals(bytes.subarray(1234))]).toEqual([206, true]);
    expect(rest.answer.headers.get('content-range')).toBe('bytes 1234-4999/5000');
    expect((await fetchBytes('/models/single/1/download', { range: 'bytes=9000-' })).answer.status).toBe(416);
    expect(
      (await fetchBytes('/models/single/1/download', { 'if-none-match': `"${sha256}"` })).answer.status,
    ).toBe(304);
    for (const path of [
      '/models/single/3/download',
      '/models/none/1/download',
      '/models/single/1/download?path=x',
    ])
      expect((await device.call('GET', path)).status).toBe(404);
    expect((await device.call('GET', '/models/single/zero/download')).status).toBe(422);
    process.off('warning', listen);
    expect(warned).toEqual([]);
  });

  it('of several files are downloaded as an archive, or file by file', async () => {
    const archive = await fetchBytes('/models/folder/1/download');
    expect([archive.answer.headers.get('content-type'), archive.body.subarray(0, 2).toString()]).toEqual([
      'application/zip',
      'PK',
    ]);
    const [{ files }] = (await device.call('GET', '/models/folder/versions')).body.items;
    const { path } = files.find((file: { path: string }) => file.path.endsWith('weights.bin'));
    const one = await fetchBytes(`/models/folder/1/download?path=${encodeURIComponent(path)}`, {
      range: 'bytes=0-9',
    });
    expect([one.answer.status, one.body.equals(bytes.subarray(0, 10))]).toEqual([206, true]);
  });

  it('resolve to the image that a device pulls, once it is ready', async () => {
    const pull = (query: string) => device.call('GET', `/containers/pull?${query}`);
    expect((await pull('model=single&version=1')).status).toBe(404);
    await kit.run(
      `insert into image (tenant_id, kind, model_version_id, repository, status)
       select v.tenant_id, 'model', v.id, $2 || '/' || m.name, 'BUILDING' from model_version v join model m on m.id = v.model_id
       where v.tenant_id = $1 and m.name = 'single' and v.version = 1`,
      [tenant.id, tenant.code],
    );
    const building = await pull('model=single&version=1');
    expect([building.status, building.body.detail]).toEqual([409, { status: 'BUILDING' }]);
    const digest = `sha256:${'a'.repeat(64)}`;
    await kit.run("update image set status = 'READY', manifest_digest = $2 where tenant_id = $1", [
      tenant.id,
      digest,
    ]);
    expect((await pull('model=single&version=1')).body).toMatchObject({
      ...{ model: 'single', version: 1, digest },
      image_ref: `${new URL(api.container.settings.SERVICE_BASE_URL).host}/${tenant.code}/single@${digest}`,
    });
    expect((await pull('model=single')).status).toBe(422);
  });

  it('are those of its own tenant, and need their scopes', async () => {
    const stranger = await new EdgeKit(api, await api.addTenant()).device();
    expect((await stranger.call('GET', '/models')).body.total).toBe(0);
    expect((await stranger.call('GET', '/models/single/1/download')).status).toBe(404);
    const limited = await kit.device({ scopes: ['telemetry:write'] });
    for (const path of ['/models', '/models/single/1/download', '/containers/pull?model=single&version=1'])
      expect((await limited.call('GET', path)).status).toBe(403);
  });
});
