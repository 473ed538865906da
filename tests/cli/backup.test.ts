import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseArguments } from '../../cli/arguments.js';
import { restore } from '../../cli/commands/restore.js';
import { describeKeys, requireKeys } from '../../cli/backup/backup-keys.js';
import { claimFolder } from '../../cli/backup/claim-folder.js';
import { copyObjects } from '../../cli/backup/copy-objects.js';
import {
  backupFiles,
  makeFolder,
  objectFile,
  readPart,
  requireRoom,
  writePart,
} from '../../cli/backup/folder.js';
import { loadObjects } from '../../cli/backup/load-objects.js';
import { BACKUP_FORMAT, type Manifest, readManifest } from '../../cli/backup/manifest.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { notFound } from '../../core/errors/app-error.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const part = { file: 'database/a.copy.gz', sizeBytes: 1, sha256: 'a'.repeat(64) };

const manifestText = (changes: object = {}): string =>
  JSON.stringify({
    ...{ format: BACKUP_FORMAT, id: randomUUID(), version: '0.2.0', migrations: ['first'], sequences: [] },
    ...{ takenAt: '2026-02-01T00:00:00Z', finishedAt: '2026-02-01T00:00:00Z', tables: [] },
    objects: { index: part, count: 0, sizeBytes: 0, deleted: 0, damaged: 0 },
    keys: { needed: [], known: null },
    ...changes,
  });

/** What a bucket would hold, and how often it was asked. */
class Bucket {
  asked: string[] = [];
  readonly bytes = new Map<string, Buffer>();

  async get(key: string): Promise<Readable> {
    this.asked.push(key);
    const found = this.bytes.get(key);
    if (found === undefined) throw notFound('Object');
    return Readable.from([found]);
  }

  async put(key: string, body: Readable | Buffer): Promise<{ etag: string }> {
    const pieces: Buffer[] = [];
    if (Buffer.isBuffer(body)) pieces.push(body);
    else for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
    this.bytes.set(key, Buffer.concat(pieces));
    return { etag: '' };
  }

  createMultipart = () => Promise.reject(new Error('no object of this test is so large'));
  putPart = this.createMultipart;
  completeMultipart = this.createMultipart;
}

describe('the keys of a backup', () => {
  const [one, two, other] = [1, 2, 3].map((add) =>
    Buffer.from(Array.from({ length: 32 }, (_, at) => at * add)),
  );
  const ring = (...keys: ReadonlyArray<readonly [string, Buffer | undefined]>): KeyRing => ({
    keys: keys.map(([id, secret]) => ({ id, secret: secret as Buffer })),
  });
  const kept = describeKeys(['k1'], ring(['k2', two], ['k1', one]));

  it('are named and distinguished from others, and not in it', () => {
    expect(kept).toMatchObject({ needed: ['k1'], known: ['k2', 'k1'] });
    for (const secret of [one, two])
      for (const form of ['hex', 'base64'] as const)
        expect(JSON.stringify(kept)).not.toContain(secret?.toString(form));
  });

  it('are required before anything is restored', () => {
    expect(() => requireKeys(null, kept)).toThrow('SERVICE_SECRET_KEYS is missing');
    expect(() => requireKeys(ring(['k1', one]), kept)).toThrow('lacks the key k2');
    expect(() => requireKeys(ring(['k1', other], ['k2', two]), kept)).toThrow('as key k1, other bytes');
    const more = ring(['k3', other], ['k2', two], ['k1', one]);
    expect(requireKeys(more, kept)).toBe(more);
  });

  it('are compared by their ids where an earlier version took the backup', () => {
    const others = ring(['k1', other]);
    expect(requireKeys(others, { needed: ['k1'], known: null })).toBe(others);
    expect(describeKeys(['k1'], null)).toEqual({ needed: ['k1'], known: null });
  });
});

describe('the folder of a backup', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-backup-unit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes nothing of an installation whose keys are others', async () => {
    const keys = { needed: ['k1'], known: null };
    writeFileSync(backupFiles(folder).manifest, manifestText({ migrations: [MIGRATIONS[0]?.name], keys }));
    const dataDir = join(folder, 'data');
    const asked = parseArguments(['restore', folder, '--data-dir', dataDir], folder);
    await expect(restore(asked)).rejects.toThrow('SERVICE_SECRET_KEYS is missing');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('is no backup without a manifest, and says when one was cut short', () => {
    expect(() => readManifest(folder)).toThrow('holds no backup');
    makeFolder(backupFiles(folder).database);
    expect(() => readManifest(folder)).toThrow('was cut short');
  });

  it('is a new one, an empty one, or that of an earlier backup', () => {
    for (const name of ['.', 'new/folder']) expect(() => claimFolder(join(folder, name))).not.toThrow();
    expect(() => claimFolder(folder)).toThrow('holds other files');
    makeFolder(backupFiles(folder).database);
    writeFileSync(join(folder, 'database/tenant.copy.gz.part'), '');
    expect(() => claimFolder(folder)).not.toThrow();
    writeFileSync(backupFiles(folder).manifest, '{"name": "of something else"}');
    expect(() => claimFolder(folder)).toThrow('holds other files');
    writeFileSync(backupFiles(folder).manifest, manifestText());
    expect(() => claimFolder(folder)).not.toThrow();
  });

  it('is no file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => claimFolder(file)).toThrow(`${file} cannot be written: it is a file, not a folder`);
    expect(() => claimFolder(join(file, 'below'))).toThrow('it is a file, or below one');
  });

  it.each([
    [`{"format": ${BACKUP_FORMAT + 1}}`, 'newer version'],
    ['{"format": 1}', 'is not the manifest of a backup'],
    ['{', 'cannot be read as JSON'],
  ])('refuses the manifest %s', (text, reason) => {
    writeFileSync(backupFiles(folder).manifest, text);
    expect(() => readManifest(folder)).toThrow(reason);
  });

  it('reads the first format, where a table has one span of times', () => {
    const times = { from: '2026-01-01 00:00:00+00', to: '2026-02-01 00:00:00+00' };
    const table = (name: string, of: object | null) => ({ name, columns: ['id'], rows: 0, times: of, part });
    const text = manifestText({
      format: 1,
      tables: [table('audit_entry', times), table('telemetry', null)],
    });
    writeFileSync(backupFiles(folder).manifest, text);
    const spans = readManifest(folder).tables.map((each) => each.spans);
    expect(spans).toEqual([[{ table: 'audit_entry', ...times }], []]);
  });

  it('keeps parts for their owner alone and shows one that was changed', async () => {
    const part = await writePart(folder, 'database/a.copy.gz', Readable.from(['rows\n']));
    expect(statSync(join(folder, part.file)).mode & 0o777).toBe(0o600);
    expect(statSync(backupFiles(folder).database).mode & 0o777).toBe(0o700);
    const read = async () => {
      let text = '';
      for await (const chunk of readPart(folder, part)) text += chunk.toString();
      return text;
    };
    await expect(read()).resolves.toBe('rows\n');
    const other = await writePart(folder, 'database/b.copy.gz', Readable.from(['rovs\n']));
    writeFileSync(join(folder, part.file), readFileSync(join(folder, other.file)));
    await expect(read()).rejects.toThrow('is not the file that the backup wrote');
    writeFileSync(join(folder, part.file), readFileSync(join(folder, other.file)).subarray(0, 12));
    await expect(read()).rejects.toThrow('cannot be read');
  });

  it('says when the disk has no room', () => {
    expect(() => requireRoom(folder, 1)).not.toThrow();
    expect(() => requireRoom(folder, 2 ** 60)).toThrow(/has .* free, the backup needs about/);
  });

  describe('with objects', () => {
    const bucket = new Bucket();
    const bytes = Buffer.from('bytes of one object');
    const list = (...lines: string[]) => writeFileSync(backupFiles(folder).list, `${lines.join('\n')}\n`);
    const copy = (named: readonly string[] = []) =>
      copyObjects(
        bucket,
        folder,
        async () => new Set(named),
        () => undefined,
      );
    beforeEach(() => {
      bucket.asked = [];
      bucket.bytes.clear();
      for (const key of ['t/a/run/1', 't/a/run/2']) bucket.bytes.set(key, bytes);
      bucket.bytes.set('t/a/run/3', Buffer.from('other bytes'));
      list(
        `t/a/run/1\t${sha256(bytes)}\t${bytes.length}`,
        't/a/run/2\t\\N\t\\N',
        `t/a/run/3\t${sha256(bytes)}\t11`,
        't/a/run/4\t\\N\t\\N',
      );
    });

    it('copies what is missing, and reports what is gone or is not what rows say', async () => {
      const { objects, copied, damagedKeys } = await copy(['t/a/run/3']);
      expect(objects).toMatchObject({ count: 2, deleted: 1, damaged: 1 });
      expect([copied, damagedKeys]).toEqual([2, ['t/a/run/3']]);
      const index = gunzipSync(readFileSync(join(folder, objects.index.file)))
        .toString()
        .trim()
        .split('\n');
      expect(index.map((line) => JSON.parse(line))).toEqual([
        { key: 't/a/run/1', sizeBytes: bytes.length, sha256: sha256(bytes) },
        { key: 't/a/run/2', sizeBytes: bytes.length, sha256: sha256(bytes) },
        { key: 't/a/run/3', missing: 'damaged' },
        { key: 't/a/run/4', missing: 'deleted' },
      ]);
    });

    it('keeps what an earlier run has copied, unless it was changed', async () => {
      await copy();
      writeFileSync(objectFile(folder, 't/a/run/1'), 'changed');
      bucket.asked = [];
      expect((await copy()).copied).toBe(1);
      expect(bucket.asked.filter((key) => key !== 't/a/run/3' && key !== 't/a/run/4')).toEqual(['t/a/run/1']);
    });

    it('stores them again, and refuses a file that is not what was copied', async () => {
      const { objects } = await copy();
      const manifest = { objects } as Manifest;
      const target = new Bucket();
      const load = () =>
        loadObjects(
          target,
          folder,
          manifest,
          async () => false,
          () => undefined,
        );
      await load();
      // Objects are stored several at a time, in no order.
      expect([...target.bytes.keys()].sort()).toEqual(['t/a/run/1', 't/a/run/2']);
      writeFileSync(objectFile(folder, 't/a/run/2'), Buffer.alloc(bytes.length));
      await expect(load()).rejects.toThrow('t/a/run/2 has another sha256');
      rmSync(objectFile(folder, 't/a/run/2'));
      await expect(load()).rejects.toThrow('is missing in the backup');
    });
  });
});
