import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  private readonly seen = new Set<string>();
  readonly server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const [, place, state, at] = url.pathname.split('/');
    if (place === 'store') {
      response.writeHead(state === 'good' ? 200 : 403).end(state === 'good' ? bytes(Number(at)) : '');
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
