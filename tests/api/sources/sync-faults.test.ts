import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../fakes/source-server/source-faults.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker } from '../support/test-worker.js';
import { SyncKit } from './support/sync-kit.js';

const FILES = 12;
const PRIVATE = 'http://169.254.169.254/latest/meta-data/';
const sha256 = 'a'.repeat(64);

describe('syncs from a source with faults', () => {
  let api: TestApi;
  let worker: Awaited<ReturnType<typeof startTestWorker>>;
  let kit: SyncKit;
  let server: SourceServer;
  let count = 0;
  beforeAll(async () => {
    server = await SourceServer.start();
    api = await startTestApi({
      SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8',
      SERVICE_SYNC_PATIENCE_S: '4',
      SERVICE_SYNC_PARALLEL: '3',
    });
    worker = await startTestWorker(api.container.settings);
    kit = new SyncKit(api, await api.addTenant());
  });
  afterEach(async () => {
    server.heal();
    await expect(kit.unaccounted()).resolves.toEqual([]);
  });
  afterAll(async () => {
    await worker?.close();
    await api?.close();
    await server?.close();
  });

  const fresh = async (sizeOf?: (n: number) => number) => {
    const id = `d${count++}`;
    return {
      id,
      remote: server.add({ id, files: FILES, ...(sizeOf ? { sizeOf } : {}) }),
      dataset: await kit.linked(server, id),
    };
  };

  describe('reach the same end when a fault passes', () => {
    it.each<[string, Fault, number]>([
      ['slow bodies', { kind: 'trickle', bytes: 16, everyMs: 5 }, 30],
      ['late heads', { kind: 'delay', ms: 300 }, 8],
      ['connections that break', { kind: 'cut', afterBytes: 50 }, 20],
      ['500', { kind: 'status', status: 500 }, 6],
      ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: '1' }, 3],
      ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: '1' }, 3],
      ['the whole where a part was asked for', { kind: 'no-ranges' }, 4],
    ])('%s', async (_name, fault, times) => {
      const { remote, dataset } = await fresh();
      const struck = [server.fail({ on: 'file', times, fault })];
      if (fault.kind === 'no-ranges')
        struck.push(server.fail({ on: 'file', times: 4, after: 2, fault: { kind: 'cut', afterBytes: 60 } }));
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect((await kit.files(dataset)).size).toBe(remote.count);
      for (const count of struck) expect(count()).toBeGreaterThan(0);
    });

    it('an outage of the files alone, while the list answers', async () => {
      const { remote, dataset } = await fresh();
      const struck = server.fail({ on: 'file', after: 5, fault: { kind: 'status', status: 500 } });
      const { body } = await kit.start(dataset);
      await kit.until(`/${dataset}/syncs/${body.id}`, ({ status_message }) =>
        /could not give \d files?\. Trying again/.test(status_message),
      );
      expect(struck()).toBeGreaterThan(20);
      server.heal();
      expect(await kit.syncEnded(dataset, body.id)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect((await kit.files(dataset)).size).toBe(remote.count);
    });

    it('a file that is busy for longer than anybody waits beside it', async () => {
      const { dataset } = await fresh();
      const struck = server.fail({
        on: 'file',
        path: /\/4\.png$/,
        times: 1,
        fault: { kind: 'status', status: 429, retryAfter: '20' },
      });
      const begun = performance.now();
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        progress: { files_done: FILES },
      });
      expect([struck(), performance.now() - begun > 3000]).toEqual([1, true]);
    });
  });

  describe('list the file and take the others when a fault of one file stays', () => {
    it.each<[string, Fault, string]>([
      ['500', { kind: 'status', status: 500 }, 'busy'],
      ['404', { kind: 'status', status: 404 }, 'missing'],
      ['wrong bytes', { kind: 'wrong-sha256' }, 'wrong_sha256'],
      ['more bytes', { kind: 'wrong-size', by: 7 }, 'wrong_size'],
      ['fewer bytes', { kind: 'wrong-size', by: -7 }, 'wrong_size'],
      ['a redirect to a private address', { kind: 'redirect', to: PRIVATE }, 'address'],
      ['no HTTP', { kind: 'noise' }, 'shape'],
      ['another part than asked for', { kind: 'wrong-range' }, 'shape'],
      ['401', { kind: 'status', status: 401 }, 'credentials'],
      ['403 of a signed address', { kind: 'redirect', to: '' }, 'redirect'],
    ])('%s', async (_name, fault, code) => {
      const { dataset } = await fresh();
      const signed = fault.kind === 'redirect' && fault.to === '' ? await SourceServer.start() : null;
      signed?.fail({ fault: { kind: 'status', status: 403 } });
      const struck = server.fail({
        on: 'file',
        path: /\/4\.png$/,
        fault: signed ? { kind: 'redirect', to: `${signed.baseUrl}/datasets?signature` } : fault,
      });
      if (fault.kind === 'wrong-range')
        server.fail({ on: 'file', path: /\/4\.png$/, times: 1, fault: { kind: 'cut', afterBytes: 60 } });
      const ended = await kit.sync(dataset);
      expect(ended).toMatchObject({
        status: 'done',
        error_count: 1,
        errors: [{ path: 'c4/4.png', code }],
        progress: { files_done: FILES - 1, files_total: FILES },
      });
      expect(ended.status_message).toMatch(/11 files copied, 1 could not be taken/);
      expect(struck()).toBeGreaterThan(0);
      await signed?.close();
      expect([...(await kit.files(dataset)).keys()]).not.toContain('c4/4.png');
      server.heal();
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 0,
        plan: { add: { files: 1 }, unchanged: { files: FILES - 1 } },
      });
    });

    it('a connection that stands still half-way, in one try of each round', async () => {
      const { dataset } = await fresh();
      const struck = server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'stall', afterBytes: 50 } });
      const begun = performance.now();
      const ended = await kit.sync(dataset, 150_000);
      expect(ended).toMatchObject({
        status: 'done',
        error_count: 1,
        errors: [{ path: 'c4/4.png', code: 'timeout' }],
        progress: { files_done: FILES - 1 },
      });
      // Twice: 15 s in the quick lane, 20 s without a byte in the long one; between them the patience of 4 s, which those seconds use up.
      expect(struck()).toBeLessThanOrEqual(4);
      expect(performance.now() - begun).toBeLessThan(110_000);
    }, 180_000);

    it('in large files too, whose parts are freed', async () => {
      const { dataset } = await fresh((n) => (n === 4 ? 20_000_000 : 10));
      server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'wrong-sha256' } });
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        errors: [{ code: 'wrong_sha256' }],
        progress: { bytes_done: 10 * (FILES - 1) },
      });
    });

    it('keeps the file there was before when its change cannot be copied', async () => {
      const { remote, dataset } = await fresh();
      await kit.sync(dataset);
      const before = await kit.files(dataset);
      remote.change(4);
      remote.remove(5);
      server.fail({ on: 'file', path: /\/4\.png$/, fault: { kind: 'status', status: 404 } });
      // A file that stays bad keeps no later sync from its end.
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 1,
        plan: { change: { files: 1 }, remove: { files: 1 } },
      });
      remote.add(1);
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'done',
        error_count: 1,
        plan: { add: { files: 1 }, change: { files: 1 }, remove: { files: 0 } },
      });
      expect([...(await kit.files(dataset)).keys()]).not.toContain('c5/5.png');
      expect((await kit.files(dataset)).get('c4/4.png')).toBe(before.get('c4/4.png'));
    });
  });

  describe('fail with a plain reason and leave the dataset as it was', () => {
    it.each<[string, { on?: 'manifest' | 'file'; after?: number; fault: Fault }, RegExp]>([
      [
        'credentials that are refused',
        { on: 'manifest', fault: { kind: 'status', status: 401 } },
        /token|credential/i,
      ],
      [
        'credentials that are refused in the middle',
        { after: 6, fault: { kind: 'status', status: 401 } },
        /token|credential/i,
      ],
      [
        'a remote dataset that is gone',
        { on: 'manifest', fault: { kind: 'status', status: 404 } },
        /does not have/,
      ],
      [
        'a manifest that is no JSON',
        { on: 'manifest', fault: { kind: 'body', body: '<html>' } },
        /another form/,
      ],
      ['a manifest without end', { on: 'manifest', fault: { kind: 'endless', of: 'entries' } }, /200000/],
      [
        'a manifest that breaks off each time',
        { on: 'manifest', fault: { kind: 'cut', afterBytes: 200 } },
        /broke/,
      ],
      ['a manifest elsewhere', { on: 'manifest', fault: { kind: 'redirect', to: PRIVATE } }, /address/],
      ['wrong bytes everywhere', { on: 'file', fault: { kind: 'wrong-sha256' } }, /^None of 12 files/],
    ])('%s', async (_name, rule, reason) => {
      const { dataset } = await fresh();
      await kit.upload(dataset, 'mine.txt', Buffer.from('mine'));
      server.fail(rule);
      const ended = await kit.sync(dataset);
      expect(ended).toMatchObject({ status: 'failed', status_message: expect.stringMatching(reason) });
      expect([...(await kit.files(dataset)).keys()]).toEqual(['mine.txt']);
      expect((await kit.upload(dataset, 'more.txt', Buffer.from('more'))).status).toBe(201);
      const feed = await kit.until(`/${dataset}/syncs`, ({ items }) => items.length === 1);
      expect(feed.items[0]).toMatchObject({ status: 'failed' });
    });

    it('an empty manifest where there were files', async () => {
      const { remote, dataset } = await fresh();
      await kit.sync(dataset);
      for (let n = 0; n < FILES; n += 1) remote.remove(n);
      expect((await kit.preview(dataset)).body.preview).toMatchObject({
        remove: { files: 0, examples: [] },
        refusal: expect.stringMatching(/is empty/),
      });
      expect(await kit.sync(dataset)).toMatchObject({
        status: 'failed',
        status_message: expect.stringMatching(/manifest of the source is empty; nothing was changed/),
      });
      expect((await kit.files(dataset)).size).toBe(FILES);
    });

    it.each<[string, string[], string]>([
      [
        'a manifest of which every path is a file and a folder at once',
        ['c0', 'c0/0.png', 'c0/1.png'],
        'path_conflict',
      ],
      ['a manifest of which no path can be used', ['../a', 'a//b.txt', './c.txt'], 'bad_path'],
    ])('%s, which removes nothing', async (_name, paths, code) => {
      const { remote, dataset } = await fresh();
      await kit.sync(dataset);
      const [good] = [...remote.all()];
      const files = paths.map((path) => ({ path, size_bytes: good?.sizeBytes, sha256: good?.sha256 }));
      server.fail({ on: 'manifest', fault: { kind: 'body', body: JSON.stringify({ files }) } });
      const { body } = await kit.preview(dataset);
      expect(body.problems.map((problem: { code: string }) => problem.code)).toEqual([code, code, code]);
      expect(body.preview).toMatchObject({
        add: { files: 0 },
        remove: { files: 0 },
        refusal: 'None of the 3 entries of the manifest can be taken.',
      });
      const ended = await kit.sync(dataset);
      expect(ended).toMatchObject({
        status: 'failed',
        error_count: 3,
        plan: { remove: { files: 0 } },
        errors: [{ code }, { code }, { code }],
      });
      expect(ended.status_message).toBe(
        'None of the 3 entries of the manifest can be taken. The errors say why. The dataset is unchanged.',
      );
      expect((await kit.files(dataset)).size).toBe(FILES);
    });

    it('a source that stays away, after waiting for it', async () => {
      const away = await SourceServer.start();
      away.add({ id: 'gone', files: 100 });
      const dataset = await kit.linked(away, 'gone', 'Gone for good');
      away.fail({ on: 'file', fault: { kind: 'delay', ms: 300 } });
      const { body } = await kit.start(dataset);
      await kit.until(`/${dataset}/syncs/${body.id}`, ({ progress }) => progress.files_done > 0);
      await away.close();
      const waiting = await kit.until(`/${dataset}/syncs/${body.id}`, ({ status_message }) =>
        /Trying again/.test(status_message),
      );
      expect(waiting).toMatchObject({ status: 'running', error_count: 0 });
      expect(await kit.syncEnded(dataset, body.id)).toMatchObject({
        status: 'failed',
        status_message: expect.stringMatching(/refuses the connection.*The dataset is unchanged/),
      });
    });
  });

  it('wait for a source that comes back, without an error and without a file twice', async () => {
    const first = await SourceServer.start();
    first.add({ id: 'back', files: 60 });
    first.fail({ on: 'file', fault: { kind: 'delay', ms: 100 } });
    const dataset = await kit.linked(first, 'back', 'Back again');
    const { body } = await kit.start(dataset);
    await kit.until(`/${dataset}/syncs/${body.id}`, ({ progress }) => progress.files_done > 5);
    const { port } = first;
    await first.close();
    await sleep(1500);
    const second = await SourceServer.start({ port });
    second.add({ id: 'back', files: 60 });
    expect(await kit.syncEnded(dataset, body.id)).toMatchObject({
      status: 'done',
      error_count: 0,
      progress: { files_done: 60 },
    });
    await second.close();
  });

  it('keep the file of an earlier sync whose new version is too large for any store, and say so', async () => {
    const { remote, dataset } = await fresh();
    await kit.sync(dataset);
    const before = await kit.files(dataset);
    const huge = { size_bytes: 6 * 2 ** 40, sha256 };
    const files = [...remote.all()].map(({ path, sizeBytes, sha256: sha }) =>
      path === 'c4/4.png' ? { path, ...huge } : { path, size_bytes: sizeBytes, sha256: sha },
    );
    server.fail({
      on: 'manifest',
      fault: { kind: 'body', body: JSON.stringify({ files: [...files, { path: 'new.bin', ...huge }] }) },
    });
    const { body } = await kit.preview(dataset);
    expect(body).toMatchObject({
      file_count: FILES - 1,
      problems: [{ code: 'too_large' }, { code: 'too_large' }],
      preview: { add: { files: 0 }, remove: { files: 0 } },
    });
    expect(await kit.sync(dataset)).toMatchObject({
      status: 'done',
      plan: {
        add: { files: 0 },
        change: { files: 0 },
        remove: { files: 0 },
        unchanged: { files: FILES - 1 },
      },
      errors: [{ path: 'new.bin', code: 'too_large' }],
      warnings: [{ path: 'c4/4.png', code: 'kept_earlier' }],
    });
    expect(await kit.files(dataset)).toEqual(before);
  });

  it('take what is good of a manifest and list the rest', async () => {
    const { remote, dataset } = await fresh();
    const [good] = [...remote.all()];
    const entry = (path: string) => ({ path, size_bytes: good?.sizeBytes, sha256: good?.sha256 });
    const files = [
      entry('c0/0.png'),
      entry('../up.png'),
      entry('c0/0.png'),
      entry('x'),
      entry('x/y.png'),
      entry('/abs.png'),
      { path: 'gone.png', size_bytes: 1, sha256 },
    ];
    server.fail({ on: 'manifest', fault: { kind: 'body', body: JSON.stringify({ files }) } });
    const { body } = await kit.preview(dataset);
    expect(body.problems.map(({ code }: { code: string }) => code)).toEqual([
      'bad_path',
      'duplicate_path',
      'path_conflict',
      'path_conflict',
      'bad_path',
    ]);
    const ended = await kit.sync(dataset);
    expect(ended).toMatchObject({ status: 'done', error_count: 6 });
    expect(ended.plan).toMatchObject({
      add: { files: body.preview.add.files },
      remove: { files: body.preview.remove.files },
    });
    expect(ended.errors.map(({ code }: { code: string }) => code).sort()).toEqual([
      'bad_path',
      'bad_path',
      'duplicate_path',
      'missing',
      'path_conflict',
      'path_conflict',
    ]);
    expect([...(await kit.files(dataset)).keys()]).toEqual(['c0/0.png']);
  });
});
