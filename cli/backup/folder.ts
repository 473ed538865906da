import { createHash, type Hash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  openSync,
  fsyncSync,
  closeSync,
  renameSync,
  statfsSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { EngineError } from '../engines/engine.js';

/** Rows and bytes of all tenants: nobody but the owner of the files may read them. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export const backupFiles = (folder: string) => ({
  manifest: join(folder, 'manifest.json'),
  database: join(folder, 'database'),
  objects: join(folder, 'objects'),
  /** What the rows refer to, while a backup is taken. */
  list: join(folder, 'objects.list'),
});

/** One file of a backup, as its manifest names it. */
export interface Part {
  /** Below the folder of the backup. */
  readonly file: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export const tableFile = (table: string): string => `database/${table}.copy.gz`;
export const INDEX_FILE = 'objects.jsonl.gz';
/** Keys are made by the server and name no folder above; the store's adapter refuses others. */
export const objectFile = (folder: string, key: string): string => join(backupFiles(folder).objects, key);

export const makeFolder = (path: string): void =>
  void mkdirSync(path, { recursive: true, mode: FOLDER_MODE });

/** Passes bytes on and counts and hashes them. */
export class Digest extends Transform {
  sizeBytes = 0;
  private readonly hash: Hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sizeBytes += chunk.length;
    this.hash.update(chunk);
    this.push(chunk);
    done();
  }

  hex(): string {
    return this.hash.digest('hex');
  }
}

/** Writes a file that appears whole or not at all, and survives a power cut once this returns. */
export async function writeFileWhole(
  path: string,
  source: Readable | AsyncIterable<Buffer | string>,
): Promise<{ sizeBytes: number; sha256: string }> {
  makeFolder(dirname(path));
  const work = `${path}.part`;
  const digest = new Digest();
  try {
    await pipeline(source, digest, createWriteStream(work, { mode: FILE_MODE, flush: true }));
  } catch (error) {
    throw diskError(error, path);
  }
  renameSync(work, path);
  return { sizeBytes: digest.sizeBytes, sha256: digest.hex() };
}

/** As `writeFileWhole`, compressed. The digest is that of the file. */
export async function writePart(
  folder: string,
  file: string,
  source: AsyncIterable<Buffer | string>,
): Promise<Part> {
  const zipped = createGzip({ level: 4 });
  const [written] = await Promise.all([
    writeFileWhole(join(folder, file), zipped),
    pipeline(source, zipped).catch((error: unknown) => {
      zipped.destroy(error as Error);
      throw error;
    }),
  ]);
  return { file, ...written };
}

/**
 * Reads what `writePart` wrote.
 * @throws EngineError at its end when the file is not the one that was written
 */
export async function* readPart(folder: string, part: Part): AsyncGenerator<Buffer> {
  const digest = new Digest();
  const plain = createGunzip();
  const read = pipeline(createReadStream(join(folder, part.file)), digest, plain);
  // The stream itself reports it.
  read.catch(() => undefined);
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) yield chunk;
    await read;
  } catch (error) {
    throw new EngineError(`${join(folder, part.file)} cannot be read: ${(error as Error).message}`);
  }
  if (digest.sizeBytes !== part.sizeBytes || digest.hex() !== part.sha256)
    throw new EngineError(
      `${join(folder, part.file)} is not the file that the backup wrote: its sha256 is another.`,
    );
}

/** Null when there is no such file. */
export async function digestFile(path: string): Promise<{ sizeBytes: number; sha256: string } | null> {
  const digest = new Digest();
  try {
    await pipeline(createReadStream(path), digest, async (chunks) => {
      for await (const _ of chunks);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return { sizeBytes: digest.sizeBytes, sha256: digest.hex() };
}

/** Names in it are durable from here on. */
export function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** @throws EngineError when the folder's disk has less room than `bytes` */
export function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < bytes)
    throw new EngineError(
      `The disk of ${folder} has ${inMegabytes(free)} free, the backup needs about ${inMegabytes(bytes)}: make room, or name a folder elsewhere.`,
    );
}

export const inMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const DISK_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; make room and run the backup again, which goes on where it was',
  EDQUOT: 'the disk quota is used up; make room and run the backup again, which goes on where it was',
  EACCES: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an error',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'it is a file, or below one',
};

/** An error of a kind that people can repair says so; others stay as they are. */
export function diskError(error: unknown, path: string): unknown {
  const reason = DISK_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
  return reason === undefined ? error : new EngineError(`${path} cannot be written: ${reason}.`);
}
