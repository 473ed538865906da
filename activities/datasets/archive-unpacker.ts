import { createHash } from 'node:crypto';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { AppError } from '../../core/errors/app-error.js';
import type { ArchiveEntry, ArchiveReader, OpenArchive, RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { type ArchiveLimits, type ArchiveMember, assertMemberCount, lyingMember, notAnArchive, planArchive, unreadableArchive } from '../../models/datasets/archive.rules.js';
import { recognizeFile, SNIFF_BYTES } from '../../models/datasets/file-type.rules.js';
import type { NewFile } from '../../models/datasets/dataset-file.commands.js';

export interface UnpackDeps {
  readonly objects: ObjectStore;
  readonly reader: ArchiveReader;
  /** Notes the keys of objects about to be written. */
  readonly note: (keys: readonly string[]) => Promise<void>;
  readonly newKey: () => string;
  readonly progress: (done: number) => void;
  readonly signal: AbortSignal;
}

const AT_ONCE = 6;
const GROUP = 250;
/** Members up to this size are held whole; larger ones are streamed. */
const HELD_BYTES = 8 * 1024 * 1024;

/**
 * Unpacks a ZIP into objects, one a member. Nothing becomes visible: the caller registers what is answered, and what is
 * never registered is swept. @throws AppError with the reason when the archive is refused
 */
export async function unpackArchive(deps: UnpackDeps, source: RandomAccess, limits: ArchiveLimits): Promise<NewFile[]> {
  const archive = await openArchive(deps.reader, source);
  try {
    assertMemberCount(archive.entryCount, limits);
    const members = planArchive(await readDirectory(archive, limits), source.sizeBytes, limits);
    const files: NewFile[] = [];
    for (let at = 0; at < members.length; at += GROUP) {
      const group = members.slice(at, at + GROUP).map((member) => ({ member, key: deps.newKey() }));
      await deps.note(group.map(({ key }) => key));
      files.push(...(await inParallel(group, AT_ONCE, ({ member, key }) => storeMember(deps, archive, member, key))));
      deps.progress(files.length);
      deps.signal.throwIfAborted();
    }
    return files;
  } finally {
    archive.close();
  }
}

async function openArchive(reader: ArchiveReader, source: RandomAccess): Promise<OpenArchive> {
  try {
    return await reader.open(source);
  } catch (error) {
    throw error instanceof AppError ? error : notAnArchive();
  }
}

async function readDirectory(archive: OpenArchive, limits: ArchiveLimits): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  try {
    for await (const entry of archive.entries()) {
      entries.push(entry);
      // The stated count may lie.
      assertMemberCount(entries.length, limits);
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreadableArchive();
  }
  return entries;
}

async function storeMember(deps: UnpackDeps, archive: OpenArchive, member: ArchiveMember, key: string): Promise<NewFile> {
  try {
    const stream = await archive.open(member);
    return await (member.sizeBytes <= HELD_BYTES ? storeHeld(deps, stream, member, key) : storeStreamed(deps, stream, member, key));
  } catch (error) {
    deps.signal.throwIfAborted();
    throw error instanceof AppError ? error : lyingMember(member.path, 'its bytes are damaged or not as many as stated');
  }
}

async function storeHeld(deps: UnpackDeps, stream: Readable, member: ArchiveMember, key: string): Promise<NewFile> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  assertCrc(member, crc32(bytes));
  await deps.objects.put(key, bytes, bytes.length, { signal: deps.signal });
  return newFile(member, key, createHash('sha256').update(bytes).digest('hex'), bytes.subarray(0, SNIFF_BYTES));
}

async function storeStreamed(deps: UnpackDeps, stream: Readable, member: ArchiveMember, key: string): Promise<NewFile> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let [size, crc] = [0, 0];
  const watch = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      crc = crc32(piece, crc);
      if (size < SNIFF_BYTES) head.push(piece.subarray(0, SNIFF_BYTES - size));
      size += piece.length;
      done(null, piece);
    },
  });
  const body = new PassThrough({ highWaterMark: 1024 * 1024 });
  const [flow, put] = await Promise.allSettled([pipeline(stream, watch, body), deps.objects.put(key, body, member.sizeBytes, { signal: deps.signal })]);
  if (flow.status === 'rejected' && !isEchoOf(flow.reason, put)) throw flow.reason;
  if (put.status === 'rejected') throw put.reason;
  assertCrc(member, crc);
  return newFile(member, key, hash.digest('hex'), Buffer.concat(head));
}

/** A broken store ends the flow as well; the store's own error says more. */
const isEchoOf = (reason: unknown, put: PromiseSettledResult<unknown>): boolean =>
  put.status === 'rejected' &&
  put.reason instanceof AppError &&
  put.reason.code === 'service_unavailable' &&
  (reason as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

function assertCrc(member: ArchiveMember, actual: number): void {
  if (actual !== member.crc32) throw lyingMember(member.path, 'its checksum does not fit its bytes');
}

const newFile = (member: ArchiveMember, objectKey: string, sha256: string, head: Buffer): NewFile => ({
  path: member.path,
  sha256,
  sizeBytes: member.sizeBytes,
  objectKey,
  ...recognizeFile(head, member.path),
});

/** Results in the order of the items; the first failure ends it once the others under way are done. */
export async function inParallel<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const run = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, run));
  const failure = runs.find((run) => run.status === 'rejected');
  if (failure) throw failure.reason;
  return results;
}
