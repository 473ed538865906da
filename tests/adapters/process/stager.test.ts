import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const FILES = 40;
const PAGE = 8;
const bytes = (at: number) => Buffer.from(`bytes of ${at}`);

/** A platform and a store: the addresses of every first answer for a page have expired when they are used. */
class ExpiringStore {
  asked = 0;
  /** So many questions are answered with 503 first. */
  failures = 0;
  archive: Buffer = Buffer.alloc(0);
  /** How often it was fetched. */
  archives = 0;
  private readonly seen = new Set<string>();
  readonly server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const [, place, state, at] = url.pathname.split('/');
    if (place === 'store') {
      response.writeHead(state === 'good' ? 200 : 403).end(state === 'good' ? bytes(Number(at)) : '');
      return;
    }
    if (place === 'archive') {
      this.archives += 1;
      response.end(this.archive);
      return;
    }
    if (this.failures-- > 0) {
      response.writeHead(503).end('{}');
      return;
    }
    this.asked += 1;
    const given = this.seen.has(url.search) ? 'good' : 'expired';
    this.seen.add(url.search);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const files = Array.from({ length: Math.min(PAGE, FILES - from) }, (_, index) => ({
      path: `a/${from + index}.bin`,
      sha256: createHash('sha256')
        .update(bytes(from + index))
        .digest('hex'),
      url: `${this.base}/store/${given}/${from + index}`,
    }));
    const next = from + PAGE < FILES ? from + PAGE : null;
    response.end(JSON.stringify({ files, next }));
  });

  get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

describe('the stager', () => {
  let store: ExpiringStore;
  let directory: string;
  beforeEach(async () => {
    store = new ExpiringStore();
    await new Promise<void>((done) => store.server.listen(0, '127.0.0.1', done));
    directory = mkdtempSync(join(tmpdir(), 'visionops-stager-'));
    writeFileSync(join(directory, 'manifest.json'), '{"pages": "/pages"}');
  });
  afterEach(() => {
    store.server.closeAllConnections();
    store.server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const stage = (env: Record<string, string>) =>
    new Promise<{ code: number; output: string }>((done) =>
      execFile(
        'python3',
        ['-I', resolve('docker/stagers/dataset/stage.py'), directory],
        { env: { PATH: process.env.PATH, JOB_TOKEN: 'x', ...env } },
        (error, stdout, stderr) => done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      ),
    );

  it('asks for a page again whose addresses have expired, and goes on', async () => {
    expect(await stage({ TRACKER_URL: store.base })).toMatchObject({ code: 0 });
    // Once in vain and once more, however many files of the page had met it.
    expect(store.asked).toBe((2 * FILES) / PAGE);
    for (let at = 0; at < FILES; at += 1)
      expect(readFileSync(join(directory, 'dataset/a', `${at}.bin`))).toEqual(bytes(at));
  });

  describe('of an archive', () => {
    const archiveOf = (files: Record<string, string>) => {
      const folder = mkdtempSync(join(tmpdir(), 'visionops-archive-'));
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const archive = execFileSync('tar', ['-C', folder, '-cz', ...Object.keys(files)]);
      rmSync(folder, { recursive: true });
      return archive;
    };
    const offer = (archive: Buffer) => {
      store.archive = archive;
      const sha256 = createHash('sha256').update(archive).digest('hex');
      const download = { url: `${store.base}/archive`, path: 'app', sha256, unpack: true };
      writeFileSync(join(directory, 'downloads.json'), JSON.stringify([download]));
      rmSync(join(directory, 'manifest.json'), { force: true });
    };
    const text = (name: string) => readFileSync(join(directory, 'app', name), 'utf8');

    it('fetches it once, however many start at the same moment and later', async () => {
      offer(archiveOf({ 'model.bin': 'one' }));
      const codes = (await Promise.all([stage({}), stage({}), stage({})])).map(({ code }) => code);
      expect([...codes, (await stage({})).code]).toEqual([0, 0, 0, 0]);
      expect([store.archives, text('model.bin')]).toEqual([1, 'one']);
    });

    it('puts another one beside, never into the files that somebody reads', async () => {
      offer(archiveOf({ 'model.bin': 'one', 'old.bin': 'x' }));
      await stage({});
      const open = openSync(join(directory, 'app/model.bin'), 'r');
      offer(archiveOf({ 'model.bin': 'two' }));
      expect((await stage({})).code).toBe(0);
      expect([readFileSync(open, 'utf8'), text('model.bin')]).toEqual(['one', 'two']);
      closeSync(open);
      expect(readdirSync(directory).sort()).toEqual(['.staging', 'app', 'app.sha256', 'downloads.json']);
      expect(readdirSync(join(directory, 'app'))).toEqual(['model.bin']);
    });

    it('begins again after one that was cut off', async () => {
      offer(archiveOf({ 'model.bin': 'one' }));
      for (const rest of ['app', 'app.new', 'app.old']) mkdirSync(join(directory, rest));
      expect((await stage({})).code).toBe(0);
      expect([text('model.bin'), readdirSync(directory)]).toEqual([
        'one',
        expect.not.arrayContaining(['app.new']),
      ]);
    });
  });

  it('finds the platform where it has moved, and bears with it while it starts', async () => {
    store.failures = 3;
    const file = join(directory, 'address');
    writeFileSync(file, store.base);
    const result = await stage({ TRACKER_URL: 'http://127.0.0.1:9', TRACKER_URL_FILE: file });
    expect([result.code, result.output]).toEqual([
      0,
      expect.stringContaining(`Fetched ${FILES} dataset files`),
    ]);
  });
});
