import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LAYER_ENTRYPOINT } from '../../../models/images/model-manifest.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { type DigitModel, registerDigits, trainDigits, until } from './digit-model.js';

jest.setTimeout(120_000);

const ENDPOINTS = '/api/v1/serving/endpoints';
/** One white pixel: headers of 14 and 40 bytes, and a line of 4. */
const BMP = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000130b0000130b00000000000000000000ffffff00',
  'hex',
);

/** One life of a model image and an endpoint, with the real engines, the real runtime and real images. */
describe('a model served', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let digits: DigitModel;
  let imageId: string;

  beforeAll(async () => {
    [api, digits] = await Promise.all([startTestApi(), trainDigits()]);
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    await registerDigits(api.container.settings, api.container.db, tenant.id, 'digits', digits.files);
  }, 300_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, path, { token: api.admin.token, tenant: tenant.code, ...options });
  const status = async (name: string) => (await call('GET', `${ENDPOINTS}/${name}`)).body;
  const reach = async (name: string, wanted: string) => {
    let last: unknown = null;
    const isThere = async () => {
      const row = await status(name);
      last = row;
      if (row.status === 'FAILED' && wanted !== 'FAILED')
        last = [row, (await call('GET', `${ENDPOINTS}/${name}/logs`)).body.text];
      return row.status === wanted && row;
    };
    return until(
      `${name} ${wanted}`,
      isThere,
      30_000,
      () => `${JSON.stringify(last)} ${worker.failures.join('\n')}`,
    );
  };

  it('builds the image of a version once, however often it is asked for', async () => {
    const asked = await Promise.all([1, 2, 3].map(() => call('POST', '/api/v1/models/digits/1/image')));
    expect(asked.map((answer) => answer.status)).toEqual([202, 202, 202]);
    expect(new Set(asked.map((answer) => answer.body.id)).size).toBe(1);
    const image = await until(
      'the image',
      async () => (await call('GET', '/api/v1/registry/images?status=READY')).body.items[0],
      30_000,
      () => worker.failures.join('\n'),
    );
    expect(image).toMatchObject({
      id: asked[0]?.body.id,
      model_name: 'digits',
      model_version: 1,
      runtime: 'sklearn',
      runtime_digest: expect.stringMatching(/^sha256:/),
      image_ref: expect.stringMatching(
        new RegExp(`^127\\.0\\.0\\.1:8080/${tenant.code}/digits@sha256:[0-9a-f]{64}$`),
      ),
    });
    expect((await call('GET', '/api/v1/models/digits/versions/1')).body.image_ref).toBe(image.image_ref);
    expect((await call('POST', '/api/v1/models/digits/1/image')).body.status).toBe('READY');
    imageId = image.id as string;
  });

  it('comes up, answers images it never saw, and says that it is RUNNING', async () => {
    const created = await call('POST', ENDPOINTS, { json: { name: 'digits', image_id: imageId } });
    expect(created.body).toMatchObject({
      name: 'digits',
      status: 'CREATING',
      replicas: 1,
      gpu: 0,
      url: `http://127.0.0.1:8080${ENDPOINTS}/digits/proxy`,
    });
    expect(created.status).toBe(201);
    await reach('digits', 'RUNNING');
    const inputs = digits.heldBack.map(({ png }) => png.toString('base64'));
    const answer = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, { json: { inputs } });
    expect(answer.status).toBe(200);
    const right = answer.body.predictions.filter(
      (prediction: { label: string }, index: number) => prediction.label === digits.heldBack[index]?.label,
    );
    expect(right.length / inputs.length).toBeGreaterThanOrEqual(0.9);
    const raw = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, {
      body: digits.heldBack[0]?.png as Buffer,
      headers: { 'content-type': 'image/png' },
    });
    expect(raw.body.predictions).toHaveLength(1);
    expect((await call('GET', `${ENDPOINTS}/digits/proxy/ping`)).status).toBe(200);
    expect((await call('GET', `${ENDPOINTS}/digits/proxy/version`)).text).toMatch(/^\d+\.\d+/);
    await until('what it printed', async () =>
      (await call('GET', `${ENDPOINTS}/digits/logs`)).body.text.includes('Serving 10 classes'),
    );
  });

  it('passes the refusals of the inference server on unchanged', async () => {
    const bad = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, { json: { nothing: 1 } });
    expect([bad.status, bad.body.error_code]).toEqual([400, 'BAD_REQUEST']);
    // What no dataset takes, no model is asked for.
    const bmp = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, {
      json: { inputs: [BMP.toString('base64')] },
    });
    expect([bmp.status, bmp.body.message]).toEqual([
      400,
      'item 0: BMP is not decoded; convert it to PNG or JPEG',
    ]);
    const odd = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    expect([odd.status, odd.body]).toEqual([
      415,
      {
        error_code: 'UNSUPPORTED_MEDIA_TYPE',
        message: expect.stringContaining('Name the one that the body has in the header Content-Type.'),
      },
    ]);
    const form = new FormData();
    form.set('file', new Blob(['x']), 'image.png');
    const { body, headers } = new Response(form);
    const sent = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, {
      body: Buffer.from(await new Response(body).arrayBuffer()),
      headers: { 'content-type': headers.get('content-type') as string },
    });
    expect([sent.status, sent.body.message]).toEqual([
      415,
      expect.stringMatching(/--data-binary @image\.png$/),
    ]);
  });

  it('is checked at once by a heartbeat', async () => {
    const before = await status('digits');
    const after = await call('POST', `${ENDPOINTS}/digits/heartbeat`);
    expect(Date.parse(after.body.last_heartbeat_at)).toBeGreaterThan(Date.parse(before.last_heartbeat_at));
    expect(after.body.status).toBe('RUNNING');
  });

  it('shows DEGRADED when an instance dies, starts it again and is RUNNING again', async () => {
    const scaled = await call('PATCH', `${ENDPOINTS}/digits`, { json: { replicas: 2 } });
    expect([scaled.status, scaled.body.replicas]).toEqual([200, 2]);
    await until('two instances', async () => (await status('digits')).ready_replicas === 2);
    // One that is up again before anybody looked was never missed: it is struck until it is.
    await until('DEGRADED', async () => {
      const [row] = await api.container.db.inPlatform((tx) =>
        tx.query<{ instances: string[] }>('select instances from serving_endpoint'),
      );
      const [instance, ...others] = row?.instances ?? [];
      if (instance !== undefined && others.length > 0) killListenerOf(instance);
      return (await status('digits')).status === 'DEGRADED';
    });
    const answer = await call('POST', `${ENDPOINTS}/digits/proxy/invocations`, {
      body: digits.heldBack[0]?.png as Buffer,
      headers: { 'content-type': 'image/png' },
    });
    expect(answer.status).toBe(200);
    await reach('digits', 'RUNNING');
  });

  it('stops and starts again with the replicas it had', async () => {
    const stopped = await call('POST', `${ENDPOINTS}/digits/stop`);
    expect([stopped.status, stopped.body.status, stopped.body.ready_replicas, stopped.body.replicas]).toEqual(
      [200, 'STOPPED', 0, 2],
    );
    expect((await call('POST', `${ENDPOINTS}/digits/stop`)).status).toBe(409);
    const refused = await call('GET', `${ENDPOINTS}/digits/proxy/ping`);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      503,
      'service_unavailable',
      { status: 'STOPPED' },
    ]);
    const started = await call('POST', `${ENDPOINTS}/digits/start`);
    expect([started.status, started.body.status]).toEqual([200, 'CONNECTING']);
    expect((await call('POST', `${ENDPOINTS}/digits/start`)).status).toBe(409);
    await reach('digits', 'RUNNING');
  });

  it('keeps the served version from being deleted and names who uses it', async () => {
    const refused = await call('DELETE', '/api/v1/models/digits/1');
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { users: [{ version: 1, kind: 'serving_endpoint', name: 'digits' }], users_total: 1 },
    ]);
    expect((await call('DELETE', '/api/v1/models/digits')).status).toBe(409);
  });

  it('is deleted with all that belongs to it, then its model can go', async () => {
    const gone = await call('DELETE', `${ENDPOINTS}/digits`);
    expect([gone.status, gone.body.status]).toEqual([200, 'deleted']);
    expect((await call('GET', `${ENDPOINTS}/digits`)).status).toBe(404);
    expect((await call('DELETE', `${ENDPOINTS}/digits`)).status).toBe(404);
    expect((await call('DELETE', '/api/v1/models/digits')).status).toBe(204);
    expect((await call('GET', '/api/v1/registry/images')).body.total).toBe(0);
  });
});

/** Ends the inference server that listens at this address, as a crash would; nothing when none does any more. */
function killListenerOf(url: string): void {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((each) => new RegExp(`:${port} 00000000:0000 0A`).test(each));
  const inode = line?.trim().split(/\s+/)[9];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const sockets = (() => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(LAYER_ENTRYPOINT)) return [];
        return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return [];
      }
    })();
    const isOurs = inode !== undefined && sockets.includes(`socket:[${inode}]`);
    if (isOurs) return void process.kill(Number(pid), 'SIGKILL');
  }
}
