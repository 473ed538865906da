import { describe, expect, it } from '@jest/globals';
import { Sha256 } from '../../../web/src/datasets/upload/sha256';
import { Uploader } from '../../../web/src/datasets/upload/uploader';
import type {
  Failure,
  Job,
  KeptSession,
  Progress,
  Report,
} from '../../../web/src/datasets/upload/upload-messages';
import { CHUNK_BYTES, type Dropped, totalSize } from '../../../web/src/datasets/upload/upload-plan';

const sha256 = (bytes: Uint8Array) => new Sha256().update(bytes).hex();
const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(value), { status, headers });

/** A platform of a few lines that keeps what it gets and fails as it is asked. */
class Platform {
  readonly files = new Map<string, Uint8Array>();
  readonly sessions = new Map<
    string,
    { filename: string; size: number; chunks: Map<number, Uint8Array>; state: string }
  >();
  readonly calls: string[] = [];
  /** Who is signed in. */
  person = 'ann';
  /** Members that an archive in chunks is taken without. */
  refusedMembers: string[] = [];
  /** Answers that come before the right one. */
  troubles: Array<() => Response | Promise<Response>> = [];
  troublesOfLists: Array<() => Response> = [];

  readonly fetch = (async (input: string, init: RequestInit = {}) => {
    if (input === '/users/me') return json(200, { id: this.person });
    const path = String(input).replace('/api/v1/datasets/set', '');
    this.calls.push(`${init.method} ${path}`);
    const trouble = (init.method === 'GET' ? this.troublesOfLists : this.troubles).shift();
    if (trouble) return trouble();
    return this.answer(init.method ?? 'GET', path, init);
  }) as typeof fetch;

  private async answer(method: string, path: string, init: RequestInit): Promise<Response> {
    if (method === 'GET' && path.startsWith('/files'))
      return json(200, {
        items: [...this.files].map(([name, bytes]) => ({
          path: name,
          size_bytes: bytes.length,
          sha256: sha256(bytes),
        })),
        next: null,
      });
    if (path === '/archive') {
      const file = (init.body as FormData).get('file') as File;
      const errors: unknown[] = [];
      for (const [name, bytes] of unzipped(new Uint8Array(await file.arrayBuffer()))) {
        if (name.includes('spoilt')) return json(422, { message: 'The archive is damaged.' });
        if (name.includes('refused')) errors.push({ path: name, code: 'x', message: 'Not this one.' });
        else this.files.set(name, bytes);
      }
      return json(201, { created: 1, skipped: 0, errors });
    }
    if (path === '/files') {
      const file = (init.body as FormData).get('file') as File;
      const bytes = new Uint8Array(await file.arrayBuffer());
      this.files.set(file.name, bytes);
      return json(201, { sha256: sha256(bytes) });
    }
    if (path === '/uploads') {
      const { filename, size } = JSON.parse(String(init.body)) as { filename: string; size: number };
      const id = `u${this.sessions.size + 1}`;
      this.sessions.set(id, { filename, size, chunks: new Map(), state: 'open' });
      return json(201, this.view(id));
    }
    const [, id = '', rest = ''] = /^\/uploads\/([^/:]+)(.*)$/.exec(path) ?? [];
    const session = this.sessions.get(id);
    if (!session) return json(404, { message: 'No such session' });
    const chunk = /^\/chunks\/(\d+)$/.exec(rest);
    if (chunk) {
      session.chunks.set(Number(chunk[1]), new Uint8Array(await new Response(init.body).arrayBuffer()));
      return json(200, {});
    }
    if (rest === ':complete') {
      const pieces = [...session.chunks].sort(([a], [b]) => a - b).map(([, piece]) => piece);
      this.files.set(session.filename, new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()));
      session.state = 'done';
    }
    return json(200, this.view(id));
  }

  private refusals() {
    return this.refusedMembers.map((path) => ({ path, code: 'x', message: 'Not this one.' }));
  }

  private view(id: string) {
    const session = this.sessions.get(id);
    return {
      upload_id: id,
      chunk_size: CHUNK_BYTES,
      chunk_count: Math.ceil((session?.size ?? 0) / CHUNK_BYTES),
      received: [...(session?.chunks.keys() ?? [])],
      state: session?.state,
      error: null,
      result: session?.state === 'done' ? { created: 1, skipped: 0, errors: this.refusals() } : null,
    };
  }
}

/** Members of an archive that holds them as they are. */
function unzipped(zip: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(zip.buffer);
  const found = new Map<string, Uint8Array>();
  for (let at = 0; view.getUint32(at, true) === 0x04034b50; ) {
    const [size, length] = [view.getUint32(at + 18, true), view.getUint16(at + 26, true)];
    const name = new TextDecoder().decode(zip.subarray(at + 30, at + 30 + length));
    found.set(name, zip.slice(at + 30 + length, at + 30 + length + size));
    at += 30 + length + size;
  }
  return found;
}

function entry(path: string, bytes: Uint8Array | string): Dropped {
  const file = new File([bytes as BlobPart], path.split('/').at(-1) ?? path, { lastModified: 5 });
  return { path, file, size: file.size };
}

function upload(platform: Platform, { entries, ...job }: Partial<Job> & { entries: Dropped[] }) {
  const reports: Report[] = [];
  const uploader = new Uploader(
    {
      tenant: 'demo',
      person: 'ann',
      datasetId: 'set',
      files: entries.length,
      bytes: totalSize(entries),
      sessions: [],
      mayHold: true,
      ...job,
    },
    { fetch: platform.fetch, report: (report) => reports.push(report), now: () => Date.now() },
  );
  uploader.add(entries);
  uploader.close();
  const last = (): Progress =>
    (reports.filter((one) => one.kind === 'progress').at(-1) as { progress: Progress }).progress;
  const failures = (): readonly Failure[] =>
    reports.reduce<readonly Failure[]>(
      (found, one) => (one.kind === 'progress' && one.failures ? one.failures : found),
      [],
    );
  const sessions = (): KeptSession[] =>
    reports.flatMap((one) => (one.kind === 'session' ? [one.session] : []));
  return { uploader, last, failures, sessions };
}

describe('an upload', () => {
  it('skips what is there, refuses what differs, and sends the rest', async () => {
    const platform = new Platform();
    platform.files.set('a/same.txt', new TextEncoder().encode('same'));
    platform.files.set('a/other.txt', new TextEncoder().encode('other'));
    const run = upload(platform, {
      entries: [
        entry('a/same.txt', 'same'),
        entry('a/other.txt', 'OTHER'),
        entry('a/new.txt', 'new'),
        entry('a/\u0007', 'x'),
      ],
    });
    await run.uploader.start();
    expect(run.last()).toMatchObject({
      phase: 'failed',
      files: 4,
      filesDone: 2,
      skipped: 1,
      failed: 2,
      bytesDone: 7,
    });
    expect(new Map(run.failures().map(({ path, code }) => [path, code]))).toEqual(
      new Map([
        ['a/other.txt', 'differs'],
        ['a/\u0007', 'path'],
      ]),
    );
    expect(platform.calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /files']);
    platform.files.delete('a/other.txt');
    await run.uploader.retry(['a/other.txt']);
    expect(run.last()).toMatchObject({ phase: 'failed', filesDone: 3, failed: 1 });
    expect(new TextDecoder().decode(platform.files.get('a/other.txt'))).toBe('OTHER');
  });

  it('sends small files together, and each by itself where one spoils the archive', async () => {
    const platform = new Platform();
    const run = upload(platform, {
      entries: ['1', '2', 'refused', 'ü/4'].map((path) => entry(path, `file ${path}`)),
      mayHold: false,
    });
    await run.uploader.start();
    expect(platform.calls).toEqual(['POST /archive']);
    expect([...platform.files.keys()]).toEqual(['1', '2', 'ü/4']);
    expect(new TextDecoder().decode(platform.files.get('ü/4'))).toBe('file ü/4');
    expect(run.failures()).toEqual([{ path: 'refused', code: 'refused', message: 'Not this one.' }]);
    expect(run.last()).toMatchObject({ phase: 'failed', filesDone: 3 });

    const spoilt = new Platform();
    const single = upload(spoilt, {
      entries: ['1', 'spoilt'].map((path) => entry(path, path)),
      mayHold: false,
    });
    await single.uploader.start();
    expect(spoilt.calls).toEqual(['POST /archive', 'POST /files', 'POST /files']);
    expect(single.last()).toMatchObject({ phase: 'done', filesDone: 2, bytesDone: 7 });
  });

  it('sends a file again that was refused together with others, once somebody asks for it', async () => {
    const platform = new Platform();
    const run = upload(platform, {
      entries: ['1', 'refused', '3'].map((path) => entry(path, `file ${path}`)),
    });
    await run.uploader.start();
    expect(run.last()).toMatchObject({ phase: 'failed', filesDone: 2, failed: 1 });
    await run.uploader.retry(['refused']);
    expect(run.last()).toMatchObject({ phase: 'done', filesDone: 3, failed: 0 });
    expect(run.failures()).toEqual([]);
    expect(new TextDecoder().decode(platform.files.get('refused'))).toBe('file refused');
  });

  it('goes on after a break with everything that is neither there nor failed', async () => {
    const platform = new Platform();
    const files = Array.from({ length: 600 }, (_, at) => entry(`${at}.txt`, `file ${at}`));
    platform.troubles = [() => new Response('no JSON', { status: 201 })];
    const run = upload(platform, { entries: [...files, entry('refused', 'x')], mayHold: false });
    await run.uploader.start();
    const { filesDone, failed, broken } = run.last();
    expect(run.last().phase).toBe('failed');
    expect(broken?.files).toBe(601 - filesDone - failed);
    expect(broken?.files).toBeGreaterThan(0);
    expect(run.failures().map(({ path }) => path)).not.toContain('');
    await run.uploader.retry([]);
    expect(run.last()).toMatchObject({
      phase: 'failed',
      files: 601,
      filesDone: 600,
      failed: 1,
      broken: null,
    });
    expect(platform.files.size).toBe(600);
    expect(run.last().bytesDone).toBe(totalSize(files));
  });

  it('breaks off where the files that are there cannot be listed, and sends all of them on the next try', async () => {
    const platform = new Platform();
    platform.troublesOfLists = [() => json(500, { message: 'Something broke.' })];
    const run = upload(platform, { entries: [entry('1.txt', 'one'), entry('2.txt', 'two')] });
    await run.uploader.start();
    expect(run.last()).toMatchObject({ phase: 'failed', broken: { files: 2, message: 'Something broke.' } });
    await run.uploader.retry(null);
    expect(run.last()).toMatchObject({ phase: 'done', filesDone: 2, broken: null });
  });

  it('keeps saying which members an archive was taken without', async () => {
    const platform = new Platform();
    platform.refusedMembers = ['a/\u0007.png'];
    const run = upload(platform, { entries: [entry('data.zip', 'PK')], mayHold: false });
    await run.uploader.start();
    const refused = [{ path: 'data.zip', member: 'a/\u0007.png', code: 'refused', message: 'Not this one.' }];
    expect(run.failures()).toEqual(refused);
    const sent = platform.calls.length;
    await run.uploader.retry(null);
    expect(run.last()).toMatchObject({ phase: 'failed', filesDone: 1, failed: 1 });
    expect(run.failures()).toEqual(refused);
    expect(platform.calls.slice(sent).filter((call) => !call.startsWith('GET'))).toEqual([]);
  });

  it('tries a file again that was refused after all of it had arrived', async () => {
    const platform = new Platform();
    platform.refusedMembers = ['big.tif'];
    const bytes = new Uint8Array(CHUNK_BYTES + 5);
    const run = upload(platform, { entries: [entry('big.tif', bytes)], mayHold: false });
    await run.uploader.start();
    expect(run.last()).toMatchObject({ phase: 'failed', filesDone: 0, bytesDone: 0, failed: 1 });
  });

  it('comes back after 503, a lost connection and an ended session', async () => {
    const platform = new Platform();
    platform.troubles = [
      () => json(503, {}, { 'retry-after': '0' }),
      () => Promise.reject(new TypeError('fetch failed')),
      () => json(401, {}, { 'retry-after': '0' }),
    ];
    const run = upload(platform, { entries: [entry('1.txt', 'one')], mayHold: false });
    await run.uploader.start();
    expect(run.last()).toMatchObject({ phase: 'done', filesDone: 1, failed: 0 });
    expect(platform.calls).toHaveLength(4);
  });

  it('goes on for nobody else who signs in after its session has ended', async () => {
    const platform = new Platform();
    platform.troubles = [() => json(401, {}, { 'retry-after': '0' })];
    platform.person = 'ben';
    const run = upload(platform, { entries: [entry('1.txt', 'one')], mayHold: false });
    await run.uploader.start();
    expect(run.last()).toMatchObject({ phase: 'stopped', filesDone: 0 });
    expect(platform.files.size).toBe(0);
    expect(platform.calls).toHaveLength(1);
  });

  it('sends a large file in chunks and goes on with a session of before', async () => {
    const platform = new Platform();
    const bytes = new Uint8Array(CHUNK_BYTES * 3 + 5).map((_, at) => at % 251);
    const first = upload(platform, { entries: [entry('big.tif', bytes)], mayHold: false });
    await first.uploader.start();
    expect(first.last().phase).toBe('done');
    expect(sha256(platform.files.get('big.tif') as Uint8Array)).toBe(sha256(bytes));
    const [session] = first.sessions();
    expect(session).toMatchObject({ path: 'big.tif', uploadId: 'u1' });

    const again = new Platform();
    again.sessions.set('kept', {
      filename: 'big.tif',
      size: bytes.length,
      chunks: new Map([1, 2].map((at) => [at, bytes.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)])),
      state: 'open',
    });
    const kept: KeptSession = { path: 'big.tif', size: bytes.length, modified: 5, uploadId: 'kept' };
    const second = upload(again, { entries: [entry('big.tif', bytes)], sessions: [kept] });
    await second.uploader.start();
    expect(again.calls.filter((call) => call.startsWith('PUT')).sort()).toEqual([
      'PUT /uploads/kept/chunks/0',
      'PUT /uploads/kept/chunks/3',
    ]);
    expect(sha256(again.files.get('big.tif') as Uint8Array)).toBe(sha256(bytes));
    expect(second.last()).toMatchObject({ phase: 'done', bytesDone: bytes.length });
  });

  it('stands still while paused and ends when stopped', async () => {
    const platform = new Platform();
    const run = upload(platform, { entries: [entry('1.txt', 'one')], mayHold: false });
    run.uploader.pause();
    const ended = run.uploader.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(platform.calls).toEqual([]);
    run.uploader.goOn();
    await ended;
    expect(run.last().phase).toBe('done');

    const other = upload(new Platform(), { entries: [entry('1.txt', 'one')], mayHold: false });
    other.uploader.pause();
    const stopped = other.uploader.start();
    other.uploader.stop();
    await stopped;
    expect(other.last()).toMatchObject({ phase: 'stopped', filesDone: 0 });
  });
});
