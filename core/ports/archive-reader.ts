import type { Readable } from 'node:stream';

/** What the directory of a ZIP says about one member; none of it is trusted. */
export interface ArchiveEntry {
  /** As stored, separators and all. */
  readonly name: string;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly crc32: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Unix mode of the external attributes; 0 where the archive has none. */
  readonly unixMode: number;
  /** Where the member's local header begins; identifies a member. */
  readonly headerOffset: number;
}

/** Bytes that can be read from any place, such as an object of the store. */
export interface RandomAccess {
  readonly sizeBytes: number;
  /** The bytes `[start, end)`; always within the size. */
  read(start: number, end: number): Promise<Buffer>;
}

export interface OpenArchive {
  /** As the end of the archive states it; known before any entry is read. */
  readonly entryCount: number;
  /** @param weigh called with the size of each record of the directory before it is decoded; throws to refuse it */
  entries(weigh: (recordBytes: number) => void): AsyncIterable<ArchiveEntry>;
  /** The member's bytes, unpacked; fails when they are fewer or more than the directory says. */
  open(entry: Omit<ArchiveEntry, 'name'>): Promise<Readable>;
  close(): void;
}

export interface ArchiveReader {
  /** @throws Error when the bytes are no readable ZIP */
  open(source: RandomAccess): Promise<OpenArchive>;
}
