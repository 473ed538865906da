import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import {
  Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import type {
  ArchiveEntry,
  ArchiveReader,
  OpenArchive,
  RandomAccess,
} from '../../core/ports/archive-reader.js';

const BLOCK_BYTES = 4 * 1024 * 1024;
/** Members are read in the order of their bytes, a few at a time, so few blocks are alive. */
const MAX_BLOCKS = 8;

/** Reads ZIPs from anywhere by blocks: no archive is ever held whole. */
export const zipReader: ArchiveReader = {
  async open(source) {
    const zip = await fromRandomAccessReaderPromise(new BlockReader(source), source.sizeBytes, {
      decodeStrings: false,
      autoClose: false,
      validateEntrySizes: true,
    });
    return new OpenZip(zip);
  },
};

/** What a record of the directory has beside name, extra fields and comment. */
const RECORD_BYTES = 46;

/** Keeps nothing of the directory: what the library reads of a record may be far larger than the record. */
class OpenZip implements OpenArchive {
  constructor(private readonly zip: ZipFile) {}

  get entryCount(): number {
    return this.zip.entryCount;
  }

  async *entries(weigh: (recordBytes: number) => void): AsyncIterable<ArchiveEntry> {
    for await (const entry of this.zip.eachEntry()) {
      weigh(RECORD_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength);
      yield toEntry(entry);
    }
  }

  open(entry: Omit<ArchiveEntry, 'name'>): Promise<Readable> {
    return this.zip.openReadStreamPromise(fromEntry(entry));
  }

  close(): void {
    this.zip.close();
  }
}

/** The upper half of the external attributes is a Unix mode only where the archive was made on Unix (3) or macOS (19). */
function unixMode(entry: Entry): number {
  const host = entry.versionMadeBy >> 8;
  return host === 3 || host === 19 ? entry.externalFileAttributes >>> 16 : 0;
}

/** General-purpose flag 11 of APPNOTE.TXT: the name is UTF-8. */
const UTF8_FLAG = 0x800;
/** Info-ZIP's extra field with the name in UTF-8. */
const UNICODE_PATH = 0x7075;

/**
 * Flag and extra field say how a name is written, otherwise it is CP437. Info-ZIP and macOS write UTF-8 without either, and hardly a name
 * of CP437 happens to be that.
 */
function nameOf(entry: Entry): string {
  const raw = entry.fileNameRaw;
  const isUnsaid =
    (entry.generalPurposeBitFlag & UTF8_FLAG) === 0 &&
    !entry.extraFields.some(({ id }) => id === UNICODE_PATH);
  if (isUnsaid && isUtf8(raw)) return raw.toString();
  // Made anew: a name that is not UTF-8 comes as a chain of its characters, each many times its size.
  return Buffer.from(
    getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true),
  ).toString();
}

function toEntry(entry: Entry): ArchiveEntry {
  return {
    name: nameOf(entry),
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    crc32: entry.crc32,
    method: entry.compressionMethod,
    isEncrypted: entry.isEncrypted(),
    unixMode: unixMode(entry),
    headerOffset: entry.relativeOffsetOfLocalHeader,
  };
}

/** What the library needs to read a member, and no more. */
const fromEntry = (entry: Omit<ArchiveEntry, 'name'>): Entry =>
  Object.assign(new Entry(), {
    relativeOffsetOfLocalHeader: entry.headerOffset,
    compressedSize: entry.compressedBytes,
    uncompressedSize: entry.sizeBytes,
    compressionMethod: entry.method,
    generalPurposeBitFlag: entry.isEncrypted ? 1 : 0,
  });

class BlockReader extends RandomAccessReader {
  private readonly blocks = new LRUCache<number, Buffer>({
    max: MAX_BLOCKS,
    // A block that makes place while it is being read is still handed to those who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: (index) => {
      const start = index * BLOCK_BYTES;
      return this.source.read(start, Math.min(start + BLOCK_BYTES, this.source.sizeBytes));
    },
  });

  constructor(private readonly source: RandomAccess) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.copy(buffer, offset, length, position).then(
      (bytes) => callback(null, bytes),
      (error: Error) => callback(error),
    );
  }

  private async copy(buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    let at = offset;
    for await (const piece of this.pieces(position, Math.min(position + length, this.source.sizeBytes)))
      at += piece.copy(buffer, at);
    return at - offset;
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const index = Math.floor(at / BLOCK_BYTES);
      const block = await this.blocks.forceFetch(index);
      const piece = block.subarray(
        at - index * BLOCK_BYTES,
        Math.min(end - index * BLOCK_BYTES, block.length),
      );
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  }
}
