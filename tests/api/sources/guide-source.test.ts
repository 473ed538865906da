import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseSettings } from '../../../core/config/settings.js';
import { freePort } from '../../setup/free-port.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { DatasetKit, png } from '../datasets/support/dataset-kit.js';

/** The program of the guide, as its readers copy it. */
const program =
  /^```python\n([\s\S]*?)^```/m.exec(readFileSync('docs/guide/external-sources.md', 'utf8'))?.[1] ?? '';
const TOKEN = 'a-secret';

let folder: string;
let source: ChildProcess;
let api: TestApi;
let worker: TestWorker;
let baseUrl: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'visionops-source-'));
  api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.1' });
  worker = await startTestWorker(parseSettings(api.env));
  const port = await freePort();
  writeFileSync(join(folder, 'source.py'), program);
  source = spawn('python3', [join(folder, 'source.py'), join(folder, 'data'), String(port)], {
    env: { PATH: process.env.PATH, SOURCE_TOKEN: TOKEN },
    stdio: 'ignore',
  });
  baseUrl = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  source.kill('SIGKILL');
  await worker.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

it('copies a dataset from the source of the guide: test, list, copy, preview, and a second copy that does what was previewed', async () => {
  const files = new Map<string, Buffer>([
    ['tabby/1.png', await png(10)],
    ['tabby/2 ü.png', await png(90)],
    ['black/3.png', await png(200)],
  ]);
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, 'data/cats & co', path)), { recursive: true });
    writeFileSync(join(folder, 'data/cats & co', path), bytes);
  }
  const tenant = await api.addTenant();
  const kit = new DatasetKit(api, tenant);
  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1${path}`, {
      token: api.admin.token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  expect(
    (await call('POST', '/external-sources', { name: 'Archive', base_url: baseUrl, token: TOKEN })).status,
  ).toBe(201);
  await expect(
    until(async () => (await call('POST', '/external-sources/archive:test')).body.status),
  ).resolves.toBe('ok');
  expect((await call('GET', '/external-sources/archive/remote-datasets')).body).toMatchObject({
    total: 1,
    items: [{ id: 'cats & co' }],
  });

  const made = await call('POST', '/datasets:from-external', {
    source_id: 'archive',
    remote_dataset_id: 'cats & co',
  });
  expect(made.status).toBe(201);
  const sync = await kit.until(
    `/${made.body.id}/syncs/${made.body.sync_id}`,
    ({ status }) => !['queued', 'running'].includes(status),
  );
  expect({ ...sync, failures: worker.failures }).toMatchObject({ status: 'done', failures: [] });

  const listed = (await kit.call('GET', `/${made.body.id}/files?sort=path`)).body.items as Array<{
    path: string;
    sha256: string;
    origin: string;
  }>;
  const expected = [...files].map(([path, bytes]) => ({
    path,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    origin: 'sync',
  }));
  expect(listed.map(({ path, sha256, origin }) => ({ path, sha256, origin }))).toEqual(
    expected.sort((a, b) => (a.path < b.path ? -1 : 1)),
  );

  writeFileSync(join(folder, 'data/cats & co/tabby/4.png'), await png(120));
  rmSync(join(folder, 'data/cats & co/black/3.png'));
  const { preview } = (
    await call(
      'GET',
      `/external-sources/archive/remote-datasets/${encodeURIComponent('cats & co')}/manifest?dataset_id=${made.body.id}`,
    )
  ).body;
  expect(preview).toMatchObject({
    add: { examples: ['tabby/4.png'] },
    remove: { examples: ['black/3.png'] },
    change: { files: 0 },
    keep: { files: 0 },
    unchanged: { files: 2 },
  });

  const again = await call('POST', `/datasets/${made.body.id}/syncs`);
  const { plan } = await kit.until(
    `/${made.body.id}/syncs/${again.body.id}`,
    ({ status }) => !['queued', 'running'].includes(status),
  );
  const {
    dataset_id: _,
    refusal: __,
    ...amounts
  } = preview as Record<string, { files: number; size_bytes: number }>;
  expect(plan).toMatchObject(
    Object.fromEntries(
      Object.entries(amounts).map(([action, { files, size_bytes }]) => [action, { files, size_bytes }]),
    ),
  );
});

async function until(read: () => Promise<string>): Promise<string> {
  for (let left = 100; left > 0; left -= 1, await sleep(100)) if ((await read()) === 'ok') return 'ok';
  return read();
}
