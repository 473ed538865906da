import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, jest } from '@jest/globals';
import sharp from 'sharp';
import { checkFilePath } from '../../models/datasets/files/file-path.rules.js';
import { inParallel } from '../../core/load/in-parallel.js';
import { craftZip } from '../builders/crafted-zip.js';
import { HOSTILE_ANNOTATIONS } from '../builders/hostile-annotations.js';
import { HOSTILE_ARCHIVES } from '../builders/hostile-archives.js';
import { type HostileImage, hostileImages } from '../builders/hostile-images.js';
import { HOSTILE_PATHS } from '../builders/hostile-paths.js';
import { MortalPlatform } from './support/mortal-platform.js';
import { ProcessWatch } from './support/process-watch.js';

const AT_ONCE = 6;
/** More than one part of the store: it takes the buffers of large forms, which stay for the next. */
const LARGE_BYTES = 12_000_000;
const MAX_RISE_MB = 300;
/** Connections at rest and idle decoders end within this. */
const REST_MS = 20_000;
/** Pools open connections as they are needed and keep some; hundreds of hostile inputs came before. */
const KEPT_CONNECTIONS = 10;

jest.setTimeout(360_000);

describe('API and worker, each a process, given what was made to hurt', () => {
  let platform: MortalPlatform;
  let whole: ProcessWatch;
  let watch: ProcessWatch;
  let pids: MortalPlatform['pids'];
  let images: HostileImage[];
  let good: Buffer;
  beforeAll(async () => {
    [platform, images, good] = await Promise.all([
      MortalPlatform.start({}),
      hostileImages(),
      sharp({
        create: {
          width: 1600,
          height: 1200,
          channels: 3,
          background: '#246',
          noise: { type: 'gaussian', mean: 120, sigma: 50 },
        },
      })
        .jpeg()
        .toBuffer(),
    ]);
    await goodRound();
    await sleep(1000);
    whole = new ProcessWatch([platform.pids.api, platform.pids.worker]);
  });
  afterAll(() => {
    whole?.end();
    return platform?.close();
  });

  /** The same ways with harmless content: pools, decoders and compiled code are there before anything is measured. */
  async function goodRound(): Promise<void> {
    const dataset = await draft('Good');
    const [first] = await inParallel([...Array(24).keys()], AT_ONCE, (n) =>
      upload(dataset, `a/${n}.jpg`, Buffer.concat([good, Buffer.from([n])])),
    );
    await inParallel([...Array(30).keys()], AT_ONCE, (n) =>
      uploadArchive(dataset, craftZip([{ name: `z/${n}.txt`, bytes: Buffer.from('good') }])),
    );
    await inParallel([1, 2], AT_ONCE, (n) => upload(dataset, `large/${n}.bin`, Buffer.alloc(LARGE_BYTES, n)));
    await upload(dataset, 'labels/1.txt', Buffer.from('0 0.5 0.5 1 1\n'.repeat(50_000)));
    await inParallel([...Array(8).keys()], AT_ONCE, () =>
      platform.send('GET', `/datasets/${dataset}/files/${first?.body.id}/content?variant=preview`),
    );
    await inParallel([...Array(200).keys()], 4 * AT_ONCE, () =>
      platform.send('GET', `/datasets/${dataset}/files?q=nothing`),
    );
    expect(await settled(dataset)).toMatchObject({ status: 'FROZEN' });
  }

  beforeEach(() => {
    pids = platform.pids;
    watch = new ProcessWatch([pids.api, pids.worker]);
  });
  afterEach(() => {
    watch.end();
    if (process.env.SHOW_RISES)
      process.stdout.write(`${expect.getState().currentTestName}: ${watch.risesMb} MB\n`);
    expect(platform.pids).toEqual(pids);
    for (const pid of [pids.api, pids.worker]) expect(existsSync(`/proc/${pid}/exe`)).toBe(true);
    for (const rise of watch.risesMb) expect(rise).toBeLessThanOrEqual(MAX_RISE_MB);
  });

  const draft = async (name: string): Promise<string> =>
    (await platform.ask('POST', '/datasets/drafts', { name })).body.id as string;
  const settled = (dataset: string) =>
    platform.until(`/datasets/${dataset}`, ({ status }) => status === 'FROZEN' || status === 'FAILED');
  const upload = (dataset: string, path: string, bytes: Buffer) =>
    platform.send('POST', `/datasets/${dataset}/files`, ...form(path, bytes));
  const uploadArchive = (dataset: string, bytes: Buffer) =>
    platform.send('POST', `/datasets/${dataset}/archive`, ...form('a.zip', bytes));
  /** Every file by its path, with what its check found. */
  async function filesOf(
    dataset: string,
  ): Promise<Map<string, { id: string; status: string; reason: string | null; sha256: string }>> {
    const files = new Map();
    for (let page = 1; ; page += 1) {
      const { body } = await platform.ask('GET', `/datasets/${dataset}/files?page=${page}&page_size=200`);
      for (const file of body.items) files.set(file.path, file);
      if (files.size >= body.total || body.items.length === 0) return files;
    }
  }

  it('refuse archives for a reason each and stay as they were', async () => {
    const dataset = await draft('Archives');
    for (const { name, make, refused, status = 422 } of HOSTILE_ARCHIVES) {
      const answer = await uploadArchive(dataset, make());
      if (refused === null) expect([name, answer.status, answer.body.errors]).toEqual([name, 201, []]);
      else
        expect([name, answer.status, answer.body.message]).toEqual([
          name,
          status,
          expect.stringMatching(refused),
        ]);
    }
    expect([...(await filesOf(dataset)).keys()].sort()).toEqual([
      'harmless/42.zip',
      'harmless/CASE',
      'harmless/case',
      'harmless/fields',
      'harmless/hard-link',
    ]);
  });

  it('refuse images for a reason each and stay as they were', async () => {
    const dataset = await draft('Images');
    const sent = await inParallel(images, AT_ONCE, ({ name, bytes }) => upload(dataset, name, bytes));
    expect(sent.map(({ status }) => status)).toEqual(images.map(() => 201));
    const previews = await inParallel(sent, AT_ONCE, ({ body }) =>
      platform.send('GET', `/datasets/${dataset}/files/${body.id}/content?variant=preview`),
    );
    expect(await settled(dataset)).toMatchObject({ status: 'FAILED' });
    const files = await filesOf(dataset);
    for (const [at, { name, refused }] of images.entries()) {
      const { status, reason } = files.get(name) ?? {};
      const preview = previews[at];
      if (refused === null)
        expect([name, status, reason, preview?.status]).toEqual([name, 'valid', null, 200]);
      else {
        expect([name, status, reason]).toEqual([name, 'invalid', expect.stringMatching(refused)]);
        expect([name, preview?.status, preview?.body.message]).toEqual([
          name,
          422,
          expect.stringMatching(/No preview can be made: .{10}/),
        ]);
      }
    }
  });

  it('refuse annotations for a reason each and stay as they were', async () => {
    const dataset = await draft('Annotations');
    const sent = await inParallel(HOSTILE_ANNOTATIONS, AT_ONCE, ({ path, bytes }) =>
      upload(dataset, path, bytes),
    );
    expect(sent.map(({ status }) => status)).toEqual(HOSTILE_ANNOTATIONS.map(() => 201));
    expect(await settled(dataset)).toMatchObject({ status: 'FAILED' });
    const files = await filesOf(dataset);
    for (const { path, refused } of HOSTILE_ANNOTATIONS) {
      const file = files.get(path);
      const verdict = refused === null ? ['valid', null] : ['invalid', expect.stringMatching(refused)];
      expect([path, file?.status, file?.reason]).toEqual([path, ...verdict]);
    }
  });

  it('take paths as plain names or refuse them for a reason, wherever they stand', async () => {
    expect(HOSTILE_PATHS.length).toBeGreaterThanOrEqual(200);
    const dataset = await draft('Paths');
    await inParallel(HOSTILE_PATHS, AT_ONCE, async ({ text, refused }) => {
      const shown = JSON.stringify(text).slice(0, 100);
      const session = await platform.ask('POST', `/datasets/${dataset}/uploads`, { filename: text, size: 1 });
      expect([shown, session.status]).toEqual([shown, refused ? 422 : 201]);
      if (refused) expect(session.body.message).toMatch(/.{10}/);
      else expect(session.body.filename).toBe(checkFilePath(text).path);
      if (isWellFormed(text)) await inAddresses(dataset, text, shown);
    });
    const named = HOSTILE_PATHS.filter(({ text }) => isWellFormed(text));
    await inParallel(named, AT_ONCE, async ({ text, refused }) => {
      const { status, body } = await upload(dataset, text, Buffer.from(text));
      expect(`${text.slice(0, 100)}: ${status}`).toMatch(refused ? /: 4(00|22)$/ : /: 201$/);
      if (refused) expect(body.message).toMatch(/.{10}/);
    });
    const plain = named.filter(({ refused }) => !refused);
    const files = await filesOf(dataset);
    expect([...files.keys()].sort()).toEqual(
      plain.map(({ text }) => checkFilePath(text).path as string).sort(),
    );
    await asMembers(
      plain.map(({ text }) => text),
      named.filter(({ refused }) => refused).map(({ text }) => text),
    );
    expect((await settled(dataset)).file_count).toBe(plain.length);
    for await (const { key } of platform.objects.list(''))
      expect(key).toMatch(/^t\/[0-9a-f-]{36}\/[a-z-]+\/[0-9a-f/-]+$/);
  });

  it('took no more memory for all of it together, and hold no more descriptors than before', async () => {
    if (process.env.SHOW_RISES) process.stdout.write(`all: ${whole.risesMb} MB\n`);
    for (const rise of whole.risesMb) expect(rise).toBeLessThanOrEqual(MAX_RISE_MB);
    for (const { files, others } of await whole.extra(REST_MS, KEPT_CONNECTIONS)) {
      expect(files).toBe(0);
      expect(others).toBeLessThanOrEqual(KEPT_CONNECTIONS);
    }
  });

  /** As ids and in a search: never more than "not there". */
  async function inAddresses(dataset: string, text: string, shown: string): Promise<void> {
    const id = encodeURIComponent(text);
    for (const path of [
      `/${id}`,
      `/${dataset}/files/${id}`,
      `/${dataset}/files/${id}/content`,
      `/${dataset}/uploads/${id}`,
    ]) {
      const { status, body } = await platform.send('GET', `/datasets${path}`);
      // Empty and dot segments are gone before the request leaves: what is asked for is then the list above.
      expect(`${path.slice(0, 100)}: ${status}`).toMatch(
        /^\.{0,2}$/.test(text) ? /: (200|404|405|422)$/ : /: 4(00|04|14|22)$/,
      );
      if (status >= 400) expect(body.message).toMatch(/.{5}/);
    }
    expect(`${shown}: ${(await platform.send('GET', `/datasets/${dataset}/files?q=${id}`)).status}`).toMatch(
      /: (200|422)$/,
    );
  }

  async function asMembers(plain: readonly string[], refused: readonly string[]): Promise<void> {
    const dataset = await draft('Members');
    const { body } = await uploadArchive(
      dataset,
      craftZip(plain.map((name) => ({ name, bytes: Buffer.from(name) }))),
    );
    expect(body).toMatchObject({ created: plain.length, errors: [] });
    await inParallel(refused, AT_ONCE, async (name) => {
      const answer = await uploadArchive(dataset, craftZip([{ name, bytes: Buffer.from('x') }]));
      expect([name.slice(0, 100), answer.status]).toEqual([name.slice(0, 100), 422]);
      expect(answer.body.message).toMatch(/The archive is refused: .{10}/);
    });
  }
});

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Body and content type; the name is written so that it arrives exactly (RFC 5987). */
function form(path: string, bytes: Buffer): [Buffer, string] {
  const boundary = 'boundary-of-the-tests';
  const name = encodeURIComponent(path).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8''${name}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return [
    Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    `multipart/form-data; boundary=${boundary}`,
  ];
}
