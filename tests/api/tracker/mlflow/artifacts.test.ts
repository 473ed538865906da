import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unavailable } from '../../../../core/errors/app-error.js';
import { testedVersions } from '../../../mlflow-clients/support/client-environment.js';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient, refusal, ROOT } from './mlflow-client.js';

describe('artifacts over the protocol of MLflow', () => {
  let api: TestApi;
  let client: MlflowClient;
  let runId: string;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    runId = await client.run(await client.experiment('artifacts'));
  });
  afterAll(() => api.close());

  it('are stored, listed level by level, fetched by range and replaced', async () => {
    expect((await client.put(runId, 'a/b.txt', 'first')).status).toBe(200);
    expect((await client.put(runId, 'a/b.txt', 'second!')).status).toBe(200);
    expect((await client.put(runId, 'a/%C3%A4%20%2B.json', '{}')).status).toBe(200);
    expect((await client.put(runId, 'top.png', Buffer.alloc(10))).status).toBe(200);
    const { body } = await client.get('artifacts/list', { run_id: runId });
    expect(body).toEqual({
      root_uri: `mlflow-artifacts:/${runId}/artifacts`,
      files: [
        { path: 'a', is_dir: true },
        { path: 'top.png', is_dir: false, file_size: 10 },
      ],
    });
    const listed = await client.artifact('GET', `artifacts?path=${runId}/artifacts/a`);
    expect(listed.body.files).toEqual([
      { path: 'b.txt', is_dir: false, file_size: 7 },
      { path: 'ä +.json', is_dir: false, file_size: 2 },
    ]);
    const whole = await client.artifact('GET', `artifacts/${runId}/artifacts/a/b.txt`);
    expect(whole.text).toBe('second!');
    const part = await api.call('GET', `${ROOT}/mlflow-artifacts/artifacts/${runId}/artifacts/a/b.txt`, {
      token: client.token,
      headers: { range: 'bytes=0-2' },
    });
    expect([part.status, part.text]).toEqual([206, 'sec']);
    // There is nothing below a file.
    const below = await client.artifact('GET', `artifacts?path=${runId}/artifacts/top.png`);
    expect(below.body.files).toEqual([]);
  });

  it('are listed below a folder of whatever characters', async () => {
    for (const path of ['📷/shot.png', '📷/front/a.png'])
      expect((await client.put(runId, encodeURI(path), 'x')).status).toBe(200);
    const pathsOf = async (path: string) =>
      (await client.get('artifacts/list', { run_id: runId, path })).body.files.map(
        (file: { path: string }) => file.path,
      );
    expect(await pathsOf('📷')).toEqual(['📷/front', '📷/shot.png']);
    expect(await pathsOf('📷/front')).toEqual(['📷/front/a.png']);
  });

  it('are found where the pages of MLflow ask for them', async () => {
    await client.put(runId, 'shown/note.txt', 'of a run');
    const { body } = await client.post('logged-models', {
      ...{ experiment_id: await client.experiment('pages'), name: 'm' },
    });
    const modelId = body.model.info.model_id as string;
    await client.artifact('PUT', `artifacts/models/${modelId}/artifacts/MLmodel`, 'of a model');
    await client.post('registered-models/create', { name: 'pages' });
    await client.post('model-versions/create', { name: 'pages', source: `models:/${modelId}` });
    const files = `ajax-api/2.0/mlflow/logged-models/${modelId}/artifacts/files`;
    for (const [path, status, text] of [
      [`get-artifact?run_id=${runId}&path=shown/note.txt`, 200, 'of a run'],
      [`get-artifact?run_id=${runId}&path=shown/none.txt`, 404, 'RESOURCE_DOES_NOT_EXIST'],
      [`get-artifact?run_id=${runId}&path=../../x`, 400, 'INVALID_PARAMETER_VALUE'],
      [`get-artifact?run_id=${runId}`, 400, 'INVALID_PARAMETER_VALUE'],
      ['model-versions/get-artifact?name=pages&version=1&path=MLmodel', 200, 'of a model'],
      ['model-versions/get-artifact?name=pages&version=2&path=MLmodel', 404, 'RESOURCE_DOES_NOT_EXIST'],
      [`${files}?artifact_file_path=MLmodel`, 200, 'of a model'],
      [files, 400, 'INVALID_PARAMETER_VALUE'],
    ] as const) {
      const answer = await client.page(path);
      expect([path, answer.status, answer.text]).toEqual([path, status, expect.stringContaining(text)]);
    }
  });

  it('come in parts where the server says so', async () => {
    const { body } = await api.call('GET', '/tracker/api/3.0/mlflow/server-info');
    const made = await client.artifact(
      'POST',
      `mpu/create/${runId}/artifacts`,
      JSON.stringify({ path: 'x', num_parts: 1 }),
    );
    expect(body.multipart_uploads_enabled).toBe(made.status === 200);
    // The parts go to the store, which is on this machine alone, as the caller is.
    expect(made.status).toBe(200);
    const { text } = await api.call('GET', '/tracker/version');
    expect(text).toBe(testedVersions()[0]);
  });

  it('may be empty, and of an unknown length when they are small', async () => {
    expect((await client.put(runId, 'empty', '')).status).toBe(200);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('chunked'));
        controller.close();
      },
    });
    const path = `${ROOT}/mlflow-artifacts/artifacts/${runId}/artifacts/chunked`;
    expect((await api.call('PUT', path, { token: client.token, body: stream })).status).toBe(200);
    expect((await client.artifact('GET', `artifacts/${runId}/artifacts/chunked`)).text).toBe('chunked');
  });

  it.each([
    `${'0'.repeat(32)}/artifacts/x`,
    'models/m-00000000000000000000000000000000/artifacts/x',
    'versions/00000000-0000-4000-8000-000000000000/x',
  ])('belong to what exists: %s', async (path) => {
    expect((await client.artifact('GET', `artifacts/${path}`)).status).toBe(404);
    expect([404, 400]).toContain((await client.artifact('PUT', `artifacts/${path}`, 'x')).status);
  });

  it.each([
    ['upwards', 'RUN/artifacts/..%2f..%2fx'],
    ['upwards in parts', 'RUN/artifacts/a%2F..%2Fb'],
    ['with a backslash', 'RUN/artifacts/a%5Cb'],
    ['with a control character', 'RUN/artifacts/a%0Ab'],
    ['with an empty part', 'RUN/artifacts/a//b'],
    ['of 513 characters', `RUN/artifacts/${'x'.repeat(513)}`],
    ['that belong to nothing', 'etc/passwd'],
    ['without a file', 'RUN/artifacts'],
  ])('have no paths %s', async (_what, path) => {
    const answer = await client.artifact('PUT', `artifacts/${path.replace('RUN', runId)}`, 'x');
    expect(answer).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
  });

  it('leave nothing when they are cut in the middle', async () => {
    const { hostname, port } = new URL(api.base);
    const path = `${ROOT}/mlflow-artifacts/artifacts/${runId}/artifacts/cut.bin`;
    await new Promise<void>((resolve) => {
      const headers = { authorization: `Bearer ${client.token}`, 'content-length': 1_000_000 };
      const req = request({ hostname, port, path, method: 'PUT', headers });
      req.on('error', () => resolve());
      req.write(Buffer.alloc(300_000), () => setTimeout(() => req.destroy(), 100));
    });
    expect((await client.artifact('GET', `artifacts/${runId}/artifacts/cut.bin`)).status).toBe(404);
    const { body } = await client.get('artifacts/list', { run_id: runId });
    expect(body.files.map((file: { path: string }) => file.path)).not.toContain('cut.bin');
  });

  it('are removed by file and by folder', async () => {
    for (const path of ['gone/a', 'gone/b/c', 'gone2']) await client.put(runId, path, path);
    expect((await client.artifact('DELETE', `artifacts/${runId}/artifacts/gone`)).status).toBe(200);
    expect((await client.artifact('GET', `artifacts/${runId}/artifacts/gone/b/c`)).status).toBe(404);
    expect((await client.artifact('GET', `artifacts/${runId}/artifacts/gone2`)).text).toBe('gone2');
  });

  describe('in parts that go to the store itself', () => {
    const mpu = async (call: string, folder: string, body: object) =>
      client.artifact('POST', `mpu/${call}/${folder}`, JSON.stringify(body));
    const [first, second] = [Buffer.alloc(5 * 1024 ** 2, 'a'), Buffer.from('the rest')];
    const begin = async (path: string) => {
      const answer = await mpu('create', `${runId}/artifacts/big`, { path, num_parts: 2 });
      expect(answer.status).toBe(200);
      return answer.body as { upload_id: string; credentials: { url: string; part_number: number }[] };
    };
    const send = async ({ credentials }: Awaited<ReturnType<typeof begin>>) =>
      Promise.all(
        credentials.map(async ({ url, part_number }) => {
          const body = new Uint8Array(part_number === 1 ? first : second);
          const answer = await fetch(url, { method: 'PUT', body });
          return { part_number, etag: answer.headers.get('etag') ?? '', url };
        }),
      );

    it('are joined, as often as that is asked for', async () => {
      const upload = await begin('C:\\models\\weights.bin');
      const parts = await send(upload);
      const body = { path: '/home/me/weights.bin', upload_id: upload.upload_id, parts };
      for (let times = 0; times < 2; times += 1)
        expect((await mpu('complete', `${runId}/artifacts/big`, body)).status).toBe(200);
      const { status, text } = await client.artifact('GET', `artifacts/${runId}/artifacts/big/weights.bin`);
      expect([status, text.length, text.slice(-8)]).toEqual([200, first.length + 8, 'the rest']);
    });

    it('are kept by the call after one that ended between joining and keeping', async () => {
      const upload = await begin('cut.bin');
      const body = { path: 'cut.bin', upload_id: upload.upload_id, parts: await send(upload) };
      const { objects } = api.container;
      Object.defineProperty(objects, 'get', {
        configurable: true,
        value: () => Promise.reject(unavailable('The object store cannot be reached right now.')),
      });
      try {
        expect((await mpu('complete', `${runId}/artifacts/big`, body)).status).toBe(503);
      } finally {
        Reflect.deleteProperty(objects, 'get');
      }
      expect((await mpu('complete', `${runId}/artifacts/big`, body)).status).toBe(200);
      const { text } = await client.artifact('GET', `artifacts/${runId}/artifacts/big/cut.bin`);
      expect([text.length, text.slice(-8)]).toEqual([first.length + 8, 'the rest']);
    });

    it('are refused when one is missing or is not the one that is named', async () => {
      const upload = await begin('missing.bin');
      const parts = await send(upload);
      for (const named of [parts.slice(1), parts.map((part) => ({ ...part, etag: 'f'.repeat(32) }))]) {
        const body = { path: 'missing.bin', upload_id: upload.upload_id, parts: named };
        const answer = await mpu('complete', `${runId}/artifacts/big`, body);
        expect(answer).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
      }
    });

    it('are nothing after an abort, and under another run', async () => {
      const upload = await begin('gone.bin');
      const parts = await send(upload);
      const body = { path: 'gone.bin', upload_id: upload.upload_id, parts };
      const other = await client.run(await client.experiment('artifacts of another'));
      expect(await mpu('complete', `${other}/artifacts/big`, body)).toMatchObject(
        refusal(404, 'RESOURCE_DOES_NOT_EXIST'),
      );
      expect((await mpu('abort', `${runId}/artifacts/big`, body)).status).toBe(200);
      expect((await mpu('complete', `${runId}/artifacts/big`, body)).status).toBeGreaterThanOrEqual(400);
      expect((await client.artifact('GET', `artifacts/${runId}/artifacts/big/gone.bin`)).status).toBe(404);
    });
  });
});
