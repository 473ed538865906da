import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRemoteSource, type ManagedRemoteSource } from '../../../adapters/http/http-remote-source.js';
import {
  isPassingFailure,
  type RemoteFile,
  type SourceFailure,
  sourceFailureOf,
} from '../../../core/ports/remote-source.js';
import { AppError } from '../../../core/errors/app-error.js';
import type { Endpoint, Fault } from '../../fakes/source-server/source-faults.js';
import { FakeRemoteSource } from '../../fakes/fake-remote-source.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { describeRemoteSource } from './remote-source.contract.js';

const TOKEN = 'canary-token-4711';
const LIMITS = {
  connectMs: 500,
  headersMs: 400,
  idleMs: 400,
  listMs: 1500,
  manifestMs: 3000,
  filePace: { bytesPerS: 500, windowMs: 900 },
  listBytes: 200_000,
  manifestBytes: 2_000_000,
  manifestFiles: 3000,
};

describeRemoteSource('over HTTP', async () => {
  const server = await SourceServer.start({ token: TOKEN });
  const dataset = server.add({ id: 'scans', files: 3, sizeOf: (n) => (n === 1 ? 0 : 70_000 + n) });
  const files = new Map([...dataset.all()].map((file) => [file.path, Buffer.concat([...file.read()])]));
  const [large = '', empty = ''] = [...files.keys()];
  const source = createRemoteSource({ allow: '127.0.0.0/8', limits: LIMITS });
  const endpoint = { tenantId: 't1', baseUrl: server.baseUrl, token: TOKEN };
  const close = async () => {
    await source.close();
    await server.close();
  };
  return { source, endpoint, datasetId: 'scans', files, large, empty, close };
});

describeRemoteSource('in memory', async () => {
  const source = new FakeRemoteSource();
  source.datasetId = 'scans';
  source.add('a/1.png', Buffer.alloc(70_000, 'one'));
  source.add('a/2.png', Buffer.alloc(0));
  const endpoint = { tenantId: 't1', baseUrl: 'http://source.example', token: null };
  const [large, empty] = ['a/1.png', 'a/2.png'];
  return { source, endpoint, datasetId: 'scans', files: source.files, large, empty, close: async () => {} };
});

describe('a source over HTTP', () => {
  let server: SourceServer;
  let remote: ManagedRemoteSource;
  beforeEach(async () => {
    server = await SourceServer.start({ token: TOKEN, gzip: true });
    server.add({ id: 'scans', name: 'Scans', files: 30 });
    server.add({ id: 'big', files: 2, sizeOf: () => 200_000 });
    remote = createRemoteSource({ allow: '127.0.0.0/8', limits: LIMITS });
  });
  afterEach(async () => {
    await remote.close();
    await server.close();
  });

  const endpoint = () => ({ tenantId: 't1', baseUrl: server.baseUrl, token: TOKEN });
  const list = (source = endpoint()) => remote.listDatasets(source, { page: 1, pageSize: 50 });
  const manifest = async (id = 'scans', source = endpoint()): Promise<RemoteFile[]> => {
    const files: RemoteFile[] = [];
    for await (const file of remote.readManifest(source, id)) files.push(file);
    return files;
  };
  const bytes = async (stream: Readable): Promise<Buffer> => Buffer.concat(await stream.toArray());
  const read: Readonly<Record<Endpoint, () => Promise<unknown>>> = {
    list: () => list(),
    manifest: () => manifest(),
    file: async () => bytes(await remote.openFile(endpoint(), 'big', 'c1/1.png', 0)),
  };

  it('lists datasets page by page, and those that changed since a time', async () => {
    const { items, total } = await remote.listDatasets(endpoint(), { page: 2, pageSize: 1 });
    expect(total).toBe(2);
    expect(items).toEqual([
      {
        id: 'big',
        name: 'big',
        modality: 'image',
        updatedAt: expect.any(Date),
        fileCount: 2,
        sizeBytes: 400_000,
      },
    ]);
    const later = await remote.listDatasets(endpoint(), {
      page: 1,
      pageSize: 50,
      updatedAfter: new Date('2030-01-01T00:00:00Z'),
    });
    expect(later).toEqual({ items: [], total: 0 });
  });

  it('names a dataset that has no name by the beginning of its id, in whole characters', async () => {
    server.fail({
      on: 'list',
      fault: { kind: 'body', body: JSON.stringify({ items: [{ id: `a${'😀'.repeat(255)}` }], total: 1 }) },
    });
    expect((await list()).items[0]?.name).toBe(`a${'😀'.repeat(199)}`);
  });

  it('reads a manifest as the source wrote it', async () => {
    const files = await manifest();
    const plan = [...server.add({ id: 'again', files: 30 }).all()].map(({ path }) => path);
    expect(files.map(({ path }) => path)).toEqual(plan);
    expect(files.every(({ sha256, sizeBytes }) => /^[0-9a-f]{64}$/.test(sha256) && sizeBytes > 60)).toBe(
      true,
    );
  });

  it.each([0, 1, 65_535, 65_536, 199_999])(
    'opens a file from byte %d on, whether or not the source knows ranges',
    async (offset) => {
      const [, file] = await manifest('big');
      const whole = await bytes(await remote.openFile(endpoint(), 'big', 'c1/1.png', 0));
      expect(createHash('sha256').update(whole).digest('hex')).toBe(file?.sha256);
      const withRanges = await bytes(await remote.openFile(endpoint(), 'big', 'c1/1.png', offset));
      server.fail({ fault: { kind: 'no-ranges' } });
      const without = await bytes(await remote.openFile(endpoint(), 'big', 'c1/1.png', offset));
      expect(withRanges.equals(whole.subarray(offset))).toBe(true);
      expect(without.equals(whole.subarray(offset))).toBe(true);
    },
  );

  const MATRIX: ReadonlyArray<readonly [Endpoint, Fault, SourceFailure]> = [
    ...(['list', 'manifest', 'file'] as const).flatMap((on) => [
      [on, { kind: 'status', status: 401 }, 'credentials'] as const,
      [on, { kind: 'status', status: 403 }, 'credentials'] as const,
      [on, { kind: 'status', status: 404 }, 'missing'] as const,
      [on, { kind: 'status', status: 418 }, 'shape'] as const,
      [on, { kind: 'status', status: 204 }, 'shape'] as const,
      [on, { kind: 'status', status: 429, retryAfter: '7' }, 'busy'] as const,
      [on, { kind: 'status', status: 500 }, 'busy'] as const,
      [on, { kind: 'status', status: 503, retryAfter: '99999999' }, 'busy'] as const,
      [on, { kind: 'silence' }, 'timeout'] as const,
      [on, { kind: 'stall', afterBytes: 20 }, 'timeout'] as const,
      [on, { kind: 'slow-head', everyMs: 100 }, 'timeout'] as const,
      [on, { kind: 'early-hints', everyMs: 100 }, 'timeout'] as const,
      [on, { kind: 'huge-head', bytes: 20_000 }, 'limit'] as const,
      [on, { kind: 'noise' }, 'shape'] as const,
      [on, { kind: 'redirect', to: 'http://10.1.2.3/api/datasets' }, 'address'] as const,
      [on, { kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data' }, 'address'] as const,
      [on, { kind: 'redirect', to: 'http://[::ffff:10.0.0.1]/' }, 'address'] as const,
      [on, { kind: 'redirect', to: 'http://2130706433/' }, 'address'] as const,
      [on, { kind: 'redirect', to: 'file:///etc/passwd' }, 'address'] as const,
      [on, { kind: 'redirect', to: 'gopher://127.0.0.1:6379/_x' }, 'address'] as const,
      [on, { kind: 'redirect', to: '?again' }, 'redirect'] as const,
    ]),
    ['list', { kind: 'cut', afterBytes: 20 }, 'connection'],
    ['manifest', { kind: 'cut', afterBytes: 20 }, 'connection'],
    ['file', { kind: 'cut', afterBytes: 100_000 }, 'connection'],
    ['list', { kind: 'endless', of: 'entries' }, 'limit'],
    ['list', { kind: 'endless', of: 'filler' }, 'limit'],
    ['manifest', { kind: 'endless', of: 'entries' }, 'limit'],
    ['manifest', { kind: 'endless', of: 'filler' }, 'limit'],
    ['list', { kind: 'gzip-bomb', bytes: 50_000_000 }, 'limit'],
    ['manifest', { kind: 'gzip-bomb', bytes: 50_000_000 }, 'limit'],
    ['list', { kind: 'trickle', bytes: 2, everyMs: 50 }, 'timeout'],
    ['list', { kind: 'body', body: 'not zipped', headers: { 'content-encoding': 'gzip' } }, 'shape'],
    ['file', { kind: 'trickle', bytes: 1, everyMs: 50 }, 'timeout'],
    ['manifest', { kind: 'body', body: 'x', headers: { 'content-encoding': 'br' } }, 'shape'],
    ['file', { kind: 'body', body: 'x', headers: { 'content-encoding': 'gzip' } }, 'shape'],
  ];
  it.each(MATRIX)('says of %s under %j: %s', async (on, fault, reason) => {
    server.fail({ on, fault });
    const error = await read[on]().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(AppError);
    const reported = sourceFailureOf(error);
    expect(reported?.reason).toBe(reason);
    expect(reported?.next_step.length).toBeGreaterThan(10);
    // Whatever a log may print of it: message, causes, sockets, requests.
    expect(inspect(error, { depth: 12, showHidden: true })).not.toContain(TOKEN);
    server.heal();
    await read[on]();
  });

  const SHAPES: ReadonlyArray<readonly [Endpoint, string, RegExp]> = [
    ['list', '', /not JSON/],
    ['list', '[]', /"items"/],
    ['list', '{"items":[]}', /"total"/],
    ['list', '{"items":[],"total":-1}', /"total"/],
    ['list', '{"items":[{"id":"a"},{"id":""}],"total":2}', /dataset 1 .*"id"/],
    ['list', '{"items":[{"id":"a\\u0000"}],"total":1}', /dataset 0 .*"id"/],
    ['list', '{"items":[{"id":"a","name":7}],"total":1}', /dataset 0 .*"name"/],
    ['list', '{"items":[{"id":"a","updated_at":"soon"}],"total":1}', /dataset 0 .*"updated_at"/],
    ['list', '{"items":[{"id":"a","size_bytes":1.5}],"total":1}', /dataset 0 .*"size_bytes"/],
    [
      'list',
      `{"items":[${Array.from({ length: 51 }, () => '{"id":"a"}').join(',')}],"total":51}`,
      /page_size/,
    ],
    ['list', '<html>sign in</html>', /not JSON/],
    ['manifest', '', /ends in the middle/],
    ['manifest', '[]', /not a JSON object/],
    ['manifest', '{}', /no list "files"/],
    ['manifest', '{"files":7}', /"files" is not a list/],
    ['manifest', '{"files":[],"files":[]}', /twice/],
    ['manifest', '{"files":[1]}', /entry 0 /],
    ['manifest', '{"files":[{}]}', /entry 0 .*"path"/],
    ['manifest', '{"files":[{"path":"a","size_bytes":1,"sha256":"A"}]}', /entry 0 .*"sha256"/],
    [
      'manifest',
      `{"files":[{"path":"a","size_bytes":"1","sha256":"${'a'.repeat(64)}"}]}`,
      /entry 0 .*"size_bytes"/,
    ],
    [
      'manifest',
      `{"files":[{"path":"a","size_bytes":1,"sha256":"${'a'.repeat(64)}"}{"path":"b"}]}`,
      /entry 1 /,
    ],
    ['manifest', `{"files":[{"path":"${'p'.repeat(20_000)}"}]}`, /longer than/],
    ['manifest', '{"files":[]} {}', /follows its end/],
    ['manifest', '{"files":[{"path":"a",}]}', /entry 0 .*not valid JSON/],
  ];
  it.each(SHAPES.map((shape, at) => [at, ...shape] as const))(
    'names what is wrong with answer %d, a %s',
    async (_, on, body, message) => {
      server.fail({ on, fault: { kind: 'body', body } });
      await expect(read[on]()).rejects.toMatchObject({
        code: 'bad_gateway',
        detail: { reason: 'shape' },
        message: expect.stringMatching(message),
      });
    },
  );

  it('refuses another part of a file than it asked for', async () => {
    server.fail({ fault: { kind: 'wrong-range' } });
    await expect(remote.openFile(endpoint(), 'big', 'c1/1.png', 10)).rejects.toMatchObject({
      detail: { reason: 'shape' },
    });
  });

  it('distinguishes names that do not resolve, ports that nobody listens on and ports without TLS', async () => {
    const free = await SourceServer.start();
    const { port } = free;
    await free.close();
    const reasonOf = (baseUrl: string) =>
      list({ tenantId: 't1', baseUrl, token: TOKEN }).catch(
        (error: unknown) => sourceFailureOf(error)?.reason,
      );
    expect(await reasonOf('http://nowhere.invalid/api')).toBe('name');
    expect(await reasonOf(`http://127.0.0.1:${port}/api`)).toBe('refused');
    expect(await reasonOf(server.baseUrl.replace('http:', 'https:'))).toBe('tls');
    expect(await reasonOf('ftp://127.0.0.1/api')).toBe('address');
  });

  it('passes on when to come again, at most in an hour', async () => {
    server.fail({ times: 1, fault: { kind: 'status', status: 429, retryAfter: '7' } });
    await expect(list()).rejects.toMatchObject({ options: { retryAfterS: 7 } });
    server.fail({ times: 1, fault: { kind: 'status', status: 503, retryAfter: '99999999' } });
    const error = await list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ options: { retryAfterS: 3600 } });
    expect(isPassingFailure(error)).toBe(true);
  });

  it('follows redirects, and gives the token to the first origin alone', async () => {
    const other = await SourceServer.start();
    other.add({ id: 'scans', files: 1 });
    server.fail({ on: 'list', times: 1, fault: { kind: 'redirect', to: '/api/datasets?moved=1' } });
    server.fail({ on: 'list', fault: { kind: 'redirect', to: `${other.baseUrl}/datasets` } });
    other.fail({ times: 1, fault: { kind: 'redirect', to: `${other.baseUrl}/datasets?there` } });
    expect((await list()).total).toBe(1);
    expect(server.requests.map((request) => request.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      `Bearer ${TOKEN}`,
    ]);
    expect(other.requests.map((request) => request.authorization)).toEqual([null, null]);
    await other.close();
  });

  it('does not give the token back to the first origin after a visit elsewhere', async () => {
    const other = await SourceServer.start();
    server.fail({ on: 'list', times: 1, fault: { kind: 'redirect', to: `${other.baseUrl}/datasets` } });
    other.fail({ fault: { kind: 'redirect', to: `${server.baseUrl}/datasets` } });
    await expect(list()).rejects.toMatchObject({ detail: { reason: 'redirect' } });
    expect(server.requests.at(-1)?.authorization).toBeNull();
    await other.close();
  });

  it.each([401, 403])(
    'does not take status %i of a place it is redirected to for a refusal of its own token',
    async (status) => {
      const other = await SourceServer.start();
      server.fail({
        on: 'list',
        times: 1,
        fault: { kind: 'redirect', to: `${other.baseUrl}/datasets?X-Amz-Signature=secret` },
      });
      other.fail({ fault: { kind: 'status', status } });
      await expect(list()).rejects.toMatchObject({
        message: expect.not.stringContaining('secret'),
        detail: { reason: 'redirect' },
      });
      await other.close();
    },
  );

  it('ends with the reason of the caller who leaves', async () => {
    server.fail({ fault: { kind: 'stall', afterBytes: 5 } });
    const leaving = new AbortController();
    const reading = remote.listDatasets(endpoint(), { page: 1, pageSize: 5 }, leaving.signal);
    setTimeout(() => leaving.abort(new Error('gone')), 50);
    await expect(reading).rejects.toThrow('gone');
  });

  it.each(['.', '..', '', 'a\ud800'])('asks no source for a dataset named %j', async (id) => {
    await expect(manifest(id)).rejects.toMatchObject({ detail: { reason: 'missing' } });
    await expect(remote.openFile(endpoint(), 'scans', `x/${id}`, 0)).rejects.toMatchObject({
      detail: { reason: 'missing' },
    });
    expect(server.requests).toEqual([]);
  });

  it('uses no proxy of the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
      ALL_PROXY: 'http://127.0.0.1:1',
      NODE_USE_ENV_PROXY: '1',
    });
    const fresh = createRemoteSource({ allow: '127.0.0.1' });
    try {
      expect((await fresh.listDatasets(endpoint(), { page: 1, pageSize: 5 })).total).toBe(2);
    } finally {
      process.env = before;
      await fresh.close();
    }
  });
});
