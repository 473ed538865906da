import { createHash } from 'node:crypto';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { AppError } from '../../core/errors/app-error.js';
import { inParallel } from '../../core/load/in-parallel.js';
import type {
  ArchiveEntry,
  ArchiveReader,
  OpenArchive,
  RandomAccess,
} from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import {
  type ArchiveLimits,
  type ArchiveMember,
  assertMemberCount,
  lyingMember,
  notAnArchive,
  planArchive,
  unreadableArchive,
  weighDirectory,
} from '../../models/datasets/uploads/archive.rules.js';
import type { LeftOut } from '../../models/datasets/catalog/dataset.types.js';
import { recognizeFile, SNIFF_BYTES } from '../../formats/files/file-type.js';
import type { NewFile } from '../../models/datasets/files/new-file.types.js';

export interface UnpackDeps {
  readonly objects: ObjectStore;
  readonly reader: ArchiveReader;
  /** Records the keys of objects about to be written. */
  readonly recordOrphans: (keys: readonly string[]) => Promise<void>;
  readonly newKey: () => string;
  readonly progress: (done: number) => void;
  readonly signal: AbortSignal;
}

export interface UnpackedArchive {
  readonly files: readonly NewFile[];
  readonly leftOut: LeftOut;
}

const AT_ONCE = 6;
const GROUP = 250;
/** Members up to this size are held whole; larger ones are streamed. */
const HELD_BYTES = 8 * 1024 * 1024;

/**
 * Unpacks a ZIP into objects, one a member. Nothing becomes visible: the caller registers what is answered, and what is
 * never registered is swept. @throws AppError with the reason when the archive is refused
 */
export async function unpackArchive(
  deps: UnpackDeps,
  source: RandomAccess,
  limits: ArchiveLimits,
): Promise<UnpackedArchive> {
  const watched = new WatchedSource(source);
  const archive = await openArchive(deps.reader, watched);
  try {
    assertMemberCount(archive.entryCount, limits);
    const { members, leftOut } = planArchive(
      await readDirectory(archive, watched, limits),
      source.sizeBytes,
      limits,
    );
    const files: NewFile[] = [];
    for (let at = 0; at < members.length; at += GROUP) {
      const group = members.slice(at, at + GROUP).map((member) => ({ member, key: deps.newKey() }));
      await deps.recordOrphans(group.map(({ key }) => key));
      files.push(
        ...(await inParallel(group, AT_ONCE, ({ member, key }) =>
          storeMember(deps, archive, watched, member, key),
        )),
      );
      deps.progress(files.length);
      deps.signal.throwIfAborted();
    }
    return { files, leftOut };
  } finally {
    archive.close();
  }
}

/** The source as the reader gets it: what fails in here says nothing about the archive. */
class WatchedSource implements RandomAccess {
  private failure: unknown = null;

  constructor(private readonly source: RandomAccess) {}

  get sizeBytes(): number {
    return this.source.sizeBytes;
  }

  async read(start: number, end: number): Promise<Buffer> {
    try {
      return await this.source.read(start, end);
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }

  /** @returns what is to be thrown: the verdict on the archive only where the reader itself found it wrong */
  blame(error: unknown, verdict: AppError): unknown {
    return this.failure ?? (error instanceof AppError ? error : verdict);
  }
}

async function openArchive(reader: ArchiveReader, source: WatchedSource): Promise<OpenArchive> {
  try {
    return await reader.open(source);
  } catch (error) {
    throw source.blame(error, notAnArchive());
  }
}

async function readDirectory(
  archive: OpenArchive,
  source: WatchedSource,
  limits: ArchiveLimits,
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  try {
    for await (const entry of archive.entries(weighDirectory())) {
      entries.push(entry);
      // The stated count may lie.
      assertMemberCount(entries.length, limits);
    }
  } catch (error) {
    throw source.blame(error, unreadableArchive());
  }
  return entries;
}

async function storeMember(
  deps: UnpackDeps,
  archive: OpenArchive,
  source: WatchedSource,
  member: ArchiveMember,
  key: string,
): Promise<NewFile> {
  const damaged = (error: unknown): never => {
    deps.signal.throwIfAborted();
    throw source.blame(error, lyingMember(member.path, 'its bytes are damaged or not as many as stated'));
  };
  const stream = await archive.open(member).catch(damaged);
  return member.sizeBytes <= HELD_BYTES
    ? storeHeld(deps, await collect(stream).catch(damaged), member, key)
    : storeStreamed(deps, stream, member, key, damaged);
}

async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function storeHeld(
  deps: UnpackDeps,
  bytes: Buffer,
  member: ArchiveMember,
  key: string,
): Promise<NewFile> {
  assertCrc(member, crc32(bytes));
  await deps.objects.put(key, bytes, bytes.length, { signal: deps.signal });
  return newFile(
    member,
    key,
    createHash('sha256').update(bytes).digest('hex'),
    bytes.subarray(0, SNIFF_BYTES),
  );
}

async function storeStreamed(
  deps: UnpackDeps,
  stream: Readable,
  member: ArchiveMember,
  key: string,
  damaged: (error: unknown) => never,
): Promise<NewFile> {
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
  // A store that fails ends the body, with whatever error, and so the member's stream; what is wrong with the member shows there first.
  let isMembersFault = false;
  stream.on('error', () => {
    isMembersFault ||= !body.destroyed;
  });
  const putting = deps.objects.put(key, body, member.sizeBytes, { signal: deps.signal });
  putting.catch(() => body.destroy());
  const [flow, put] = await Promise.allSettled([pipeline(stream, watch, body), putting]);
  if (flow.status === 'rejected' && isMembersFault) damaged(flow.reason);
  if (put.status === 'rejected') throw put.reason;
  if (flow.status === 'rejected') throw flow.reason;
  assertCrc(member, crc);
  return newFile(member, key, hash.digest('hex'), Buffer.concat(head));
}

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
