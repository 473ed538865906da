import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../fakes/source-server/source-faults.js';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { faultySource, type FaultySource, FILES } from './support/faulty-source.js';

const PRIVATE = 'http://169.254.169.254/latest/meta-data/';
const sha256 = 'a'.repeat(64);

describe('syncs from a source whose list or credentials are no good', () => {
  const source = faultySource();
  let kit: FaultySource['kit'];
  let server: FaultySource['server'];
  let fresh: FaultySource['fresh'];
  beforeAll(() => {
    ({ kit, server, fresh } = source());
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
