import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteSource } from '../../../adapters/http/http-remote-source.js';
import type { Caller } from '../../../api/http/routing/request-context.js';
import type { ExternalSourcesService } from '../../../api/sources/external-sources.service.js';
import { RemoteManifestService } from '../../../api/sources/remote-manifest.service.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { DatasetKit } from '../datasets/support/dataset-kit.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('manifests of remote datasets', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let server: SourceServer;
  let kit: DatasetKit;
  let source: string;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' });
    tenant = await api.addTenant();
    kit = new DatasetKit(api, tenant);
    server = await SourceServer.start();
    const made = await api.call('POST', '/api/v1/external-sources', {
      token: api.admin.token,
      tenant: tenant.code,
      json: { name: 'Archive', base_url: server.baseUrl },
    });
    source = made.body.id as string;
  });
  afterEach(() => server.heal());
  afterAll(async () => {
    await server.close();
    await api.close();
  });

  const read = (id: string, query = '') =>
    api.call(
      'GET',
      `/api/v1/external-sources/${source}/remote-datasets/${encodeURIComponent(id)}/manifest${query}`,
      { token: api.admin.token, tenant: tenant.code },
    );
  const answerWith = (files: unknown[]) =>
    server.fail({ on: 'manifest', fault: { kind: 'body', body: JSON.stringify({ files }) } });
  const entry = (path: string, text: string, more: Record<string, unknown> = {}) => ({
    path,
    size_bytes: text.length,
    sha256: sha256(text),
    ...more,
  });
  /** Files as if an earlier sync had brought them. */
  const synced = (dataset: string, path: string) =>
    kit.query(
      "update dataset_file f set origin = 'sync' from dataset d where d.id = f.dataset_id and d.key = $1 and f.path like $2 returning f.id",
      [dataset, path],
    );

  it('show the files with their sums, the first thousand of them', async () => {
    const remote = server.add({ id: 'big/2026 ü', files: 1500 });
    const { status, body } = await read('big/2026 ü');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source_id: source,
      remote_dataset_id: 'big/2026 ü',
      file_count: 1500,
      size_bytes: remote.sizeBytes,
      problem_count: 0,
      problems: [],
      preview: null,
    });
    expect(body.files).toHaveLength(1000);
    expect(body.files[17]).toEqual({
      path: 'c7/17.png',
      size_bytes: expect.any(Number),
      sha256: remote.find('c7/17.png')?.sha256,
    });
  });

  it('preview what a sync adds, changes, removes, keeps and leaves, with bytes and examples', async () => {
    const dataset = await kit.draft('Here');
    for (const [path, text] of [
      ['a/same.txt', 'same'],
      ['a/old.txt', 'old!'],
      ['a/gone.txt', 'gone...'],
      ['mine/same.txt', 'equal'],
      ['mine/other.txt', 'here'],
      ['mine/alone.txt', 'alone'],
    ] as const)
      expect((await kit.upload(dataset, path, Buffer.from(text))).status).toBe(201);
    expect(await synced(dataset, 'a/%')).toHaveLength(3);
    answerWith([
      entry('a/same.txt', 'same'),
      entry('a/old.txt', 'newer'),
      entry('b/new.txt', 'brand new'),
      entry('mine/same.txt', 'equal'),
      entry('mine/other.txt', 'there'),
    ]);
    const before = server.requests.length;
    const { body } = await read('any', `?dataset_id=${dataset}`);
    expect(body.preview).toEqual({
      dataset_id: dataset,
      add: { files: 1, size_bytes: 9, examples: ['b/new.txt'] },
      change: { files: 1, size_bytes: 5, examples: ['a/old.txt'] },
      remove: { files: 1, size_bytes: 7, examples: ['a/gone.txt'] },
      unchanged: { files: 2, size_bytes: 9, examples: ['a/same.txt', 'mine/same.txt'] },
      keep: { files: 1, size_bytes: 5, examples: ['mine/other.txt'] },
      refusal: null,
    });
    expect(server.requests.slice(before).map((request) => request.endpoint)).toEqual(['manifest']);
    expect((await kit.call('GET', `/${dataset}`)).body.file_count).toBe(6);
  });

  it('preview a large dataset slice by slice with the same sums', async () => {
    const dataset = await kit.draft('Large');
    const remote = server.add({ id: 'large', files: 5000 });
    expect((await kit.upload(dataset, 'x/0.txt', Buffer.from('x'))).status).toBe(201);
    // 4,100 files of an earlier sync: 4,000 as the source has them, 50 with other bytes, 50 that it no longer has.
    const rows = [...remote.all()].slice(0, 4050).map((file, at) => ({
      path: file.path,
      sha: at < 4000 ? file.sha256 : sha256(file.path),
      size: file.sizeBytes,
    }));
    rows.push(
      ...Array.from({ length: 50 }, (_, at) => ({
        path: `zz/${String(at).padStart(3, '0')}`,
        sha: sha256('z'),
        size: 3,
      })),
    );
    await kit.query(
      `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, origin, added_revision)
       select d.tenant_id, d.id, f.path, f.sha, f.size, 'none', 'image/png', 'image', 'sync', 1 from dataset d, unnest($2::text[], $3::text[], $4::bigint[]) as f (path, sha, size) where d.key = $1`,
      [dataset, rows.map((row) => row.path), rows.map((row) => row.sha), rows.map((row) => row.size)],
    );
    const { preview } = (await read('large', `?dataset_id=${dataset}`)).body;
    expect([
      preview.add.files,
      preview.change.files,
      preview.remove.files,
      preview.unchanged.files,
      preview.keep.files,
    ]).toEqual([950, 50, 50, 4000, 0]);
    expect(preview.remove).toEqual({
      files: 50,
      size_bytes: 150,
      examples: Array.from({ length: 10 }, (_, at) => `zz/00${at}`),
    });
    expect(preview.add.examples).toHaveLength(10);
    expect(preview.add.size_bytes + preview.change.size_bytes + preview.unchanged.size_bytes).toBe(
      remote.sizeBytes,
    );
  });

  it('name the entries that cannot become files, and count the rest', async () => {
    answerWith([
      entry('ok.txt', 'a'),
      entry('../../etc/passwd', 'b'),
      entry('/etc/passwd', 'c'),
      entry('a\\b.txt', 'd'),
      entry('a\u0000b', 'e'),
      entry('ok.txt', 'f'),
      entry('./ok.txt', 'g'),
      entry('x'.repeat(600), 'h'),
      entry('C:/x', 'i'),
      entry('huge', 'j', { size_bytes: 9_000_000_000_000_000 }),
      entry('ok2.txt', 'k'),
    ]);
    const { body } = await read('any');
    expect(body).toMatchObject({ file_count: 2, size_bytes: 2, problem_count: 9 });
    expect(
      body.problems.map((problem: { entry: number; code: string }) => [problem.entry, problem.code]),
    ).toEqual([
      [1, 'bad_path'],
      [2, 'bad_path'],
      [3, 'bad_path'],
      [4, 'bad_path'],
      [5, 'duplicate_path'],
      [6, 'bad_path'],
      [7, 'bad_path'],
      [8, 'bad_path'],
      [9, 'too_large'],
    ]);
    expect(body.problems.every((problem: { message: string }) => problem.message.length > 20)).toBe(true);
  });

  it('name the entries that would be a file and a folder at once, among themselves and with what was uploaded', async () => {
    const dataset = await kit.draft('Clashes');
    for (const path of ['up', 'deep/er/file.txt', 'old/1.txt'])
      expect((await kit.upload(dataset, path, Buffer.from('here'))).status).toBe(201);
    expect(await synced(dataset, 'old/%')).toHaveLength(1);
    // The first line clashes with the last but two, which the first reading cannot know when it comes by.
    const paths = ['a/b/c.txt', 'fine.txt', 'up/x.txt', 'deep/er', 'a/b', 'old/1.txt/below', 'old/1.txt'];
    answerWith(paths.map((path) => entry(path, path)));
    const { body } = await read('any', `?dataset_id=${dataset}`);
    expect(
      body.problems.map(({ entry: at, code, path }: { entry: number; code: string; path: string }) => [
        at,
        code,
        path,
      ]),
    ).toEqual([0, 2, 3, 4, 5, 6].map((at) => [at, 'path_conflict', paths[at]]));
    expect(body.problem_count).toBe(6);
    // What is here of a clash stays.
    expect(body.preview).toMatchObject({
      add: { files: 1, examples: ['fine.txt'] },
      change: { files: 0 },
      remove: { files: 0 },
      keep: { files: 0 },
    });
    expect((await read('any')).body.problems.map(({ entry: at }: { entry: number }) => at)).toEqual([
      0, 4, 5, 6,
    ]);
  });

  it('are refused as a whole when an entry has another form, naming it', async () => {
    answerWith([entry('a', 'a'), { path: 'b', size_bytes: 1, sha256: 'ABC' }]);
    const answer = await read('any');
    expect(answer).toMatchObject({
      status: 502,
      body: {
        code: 'bad_gateway',
        detail: { reason: 'shape' },
        message: expect.stringMatching(/entry 1 .*sha256/),
      },
    });
  });

  it('preview sizes whose sum no integer of the database can hold', async () => {
    const dataset = await kit.draft('Endless');
    answerWith(
      Array.from({ length: 1025 }, (_, n) => entry(`${n}.bin`, 'x', { size_bytes: Number.MAX_SAFE_INTEGER })),
    );
    expect(await read('any', `?dataset_id=${dataset}`)).toMatchObject({
      status: 200,
      body: { problem_count: 1025, preview: { add: { files: 0 } } },
    });
  });

  it('are missing where the source has none, and where ours is none', async () => {
    expect(await read('unknown')).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: { reason: 'missing' } },
    });
    const before = server.requests.length;
    expect((await read('large', '?dataset_id=nothing')).status).toBe(404);
    expect(server.requests.length).toBe(before);
    for (const id of ['.', '..']) expect((await read(id)).status).toBe(404);
    expect((await read('x'.repeat(513))).status).toBe(422);
    expect((await read('large', '?dataset_id=a:b')).status).toBe(422);
  });

  it('fail with the source where base_url leads to no source at all', async () => {
    server.fail({ fault: { kind: 'status', status: 404 } });
    expect(await read('large')).toMatchObject({
      status: 502,
      body: {
        code: 'bad_gateway',
        detail: { reason: 'missing', next_step: expect.stringMatching(/base_url/) },
      },
    });
  });

  it('let go of a source whose manifest never ends', async () => {
    server.fail({ on: 'manifest', fault: { kind: 'endless', of: 'entries' } });
    const answer = await read('any');
    expect(answer).toMatchObject({ status: 502, body: { detail: { reason: 'limit' } } });
  });

  it('that take too long end with a word on what to do', async () => {
    const remote = createRemoteSource({ allow: '127.0.0.1' });
    const openEnabled = async () => ({ tenantId: 't1', baseUrl: server.baseUrl, token: null });
    const service = new RemoteManifestService(
      api.container.db,
      remote,
      { openEnabled } as unknown as ExternalSourcesService,
      300,
    );
    server.fail({ on: 'manifest', fault: { kind: 'trickle', bytes: 40, everyMs: 20 } });
    const reading = service.read(
      { tenant: { tenantId: tenant.id } } as unknown as Caller,
      source,
      'large',
      null,
      new AbortController().signal,
    );
    await expect(reading).rejects.toMatchObject({
      code: 'gateway_timeout',
      detail: { reason: 'timeout', next_step: expect.stringMatching(/sync/) },
    });
    // The time is over while the source is asked what else it has.
    server.heal();
    server.fail({ on: 'manifest', fault: { kind: 'status', status: 404 } });
    server.fail({ on: 'list', fault: { kind: 'silence' } });
    const looking = service.read(
      { tenant: { tenantId: tenant.id } } as unknown as Caller,
      source,
      'large',
      null,
      new AbortController().signal,
    );
    await expect(looking).rejects.toMatchObject({ code: 'gateway_timeout', detail: { reason: 'timeout' } });
    await remote.close();
  });

  it('that wait for their turn have all the time afterwards, and say where they waited too long', async () => {
    const remote = createRemoteSource({ allow: '127.0.0.1' });
    const openEnabled = async () => ({ tenantId: tenant.id, baseUrl: server.baseUrl, token: null });
    const make = (waitMs: number) =>
      new RemoteManifestService(
        api.container.db,
        remote,
        { openEnabled } as unknown as ExternalSourcesService,
        1500,
        waitMs,
      );
    const ask = (service: RemoteManifestService, id = 'waits') =>
      service.read(
        { tenant: { tenantId: tenant.id } } as unknown as Caller,
        source,
        id,
        null,
        new AbortController().signal,
      );
    server.add({ id: 'waits', files: 1 });
    server.fail({ on: 'manifest', fault: { kind: 'silence' } });
    const patient = make(60_000);
    const ahead = Promise.allSettled([ask(patient), ask(patient)]);
    const next = ask(patient);
    await sleep(700);
    server.heal();
    // What stands still is given up; by then the third has waited as long as reading may take.
    await ahead;
    await expect(next).resolves.toMatchObject({ fileCount: 1 });
    server.fail({ on: 'manifest', fault: { kind: 'silence' } });
    const hasty = make(300);
    const outcomes = await Promise.allSettled([ask(hasty), ask(hasty), ask(hasty)]);
    expect(outcomes.map((one) => (one as PromiseRejectedResult).reason.code)).toEqual([
      'gateway_timeout',
      'gateway_timeout',
      'service_unavailable',
    ]);
    expect((outcomes[2] as PromiseRejectedResult).reason).toMatchObject({ options: { retryAfterS: 10 } });
    await remote.close();
  });
});
