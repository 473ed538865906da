import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

export interface DatasetPlan {
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  readonly modality?: string;
  readonly updatedAt?: Date;
  readonly files: number;
  /** Default `c<n % 10>/<n>.png`: ten classes. */
  readonly pathOf?: (n: number) => string;
  /** Bytes of file n. Absent: each file is a valid PNG of 8 by 8 pixels, about 130 bytes, all different. */
  readonly sizeOf?: (n: number) => number;
}

export interface GeneratedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Bytes from `offset` on, in pieces of at most 64 KiB. */
  read(offset?: number): Iterable<Buffer>;
}

const BLOCK = 64 * 1024;

/**
 * A remote dataset whose bytes are computed when they are asked for: the same for the same plan, in every process, without
 * disk. `change`, `add` and `remove` make the next version of it.
 */
export class GeneratedDataset {
  private readonly versions = new Map<number, number>();
  private readonly files = new Map<string, number>();
  private readonly known = new Map<number, GeneratedFile>();
  private made = 0;
  updatedAt: Date;

  constructor(readonly plan: DatasetPlan) {
    this.updatedAt = plan.updatedAt ?? new Date('2026-01-01T00:00:00Z');
    this.add(plan.files);
  }

  get count(): number {
    return this.files.size;
  }

  get sizeBytes(): number {
    let bytes = 0;
    for (const file of this.all()) bytes += file.sizeBytes;
    return bytes;
  }

  find(path: string): GeneratedFile | null {
    const n = this.files.get(path);
    return n === undefined ? null : this.file(n);
  }

  *all(): Iterable<GeneratedFile> {
    for (const n of this.files.values()) yield this.file(n);
  }

  /** Appends files with the next numbers. */
  add(count: number): void {
    for (let left = count; left > 0; left -= 1, this.made += 1)
      this.files.set(this.pathOf(this.made), this.made);
    this.updatedAt = new Date(this.updatedAt.getTime() + 1000);
  }

  /** Gives file n other bytes of the same size. */
  change(n: number): void {
    this.versions.set(n, (this.versions.get(n) ?? 0) + 1);
    this.known.delete(n);
    this.updatedAt = new Date(this.updatedAt.getTime() + 1000);
  }

  remove(n: number): void {
    this.files.delete(this.pathOf(n));
    this.updatedAt = new Date(this.updatedAt.getTime() + 1000);
  }

  private pathOf(n: number): string {
    return this.plan.pathOf?.(n) ?? `c${n % 10}/${n}.png`;
  }

  private file(n: number): GeneratedFile {
    let file = this.known.get(n);
    if (!file) {
      const seed = `${this.plan.id}/${n}/${this.versions.get(n) ?? 0}`;
      file = this.plan.sizeOf
        ? largeFile(this.pathOf(n), seed, this.plan.sizeOf(n))
        : imageFile(this.pathOf(n), seed);
      this.known.set(n, file);
    }
    return file;
  }
}

const hash = (text: string): Buffer => createHash('sha512').update(text).digest();

function imageFile(path: string, seed: string): GeneratedFile {
  const make = () => grayPng(hash(seed));
  const bytes = make();
  return {
    path,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    *read(offset = 0) {
      const all = make().subarray(offset);
      if (all.length > 0) yield all;
    },
  };
}

/** Each block is the file's own pattern with its number in front, so that a block in the wrong place shows. */
function largeFile(path: string, seed: string, sizeBytes: number): GeneratedFile {
  function* read(offset = 0): Iterable<Buffer> {
    // Not kept: a benchmark asks for hundreds of thousands of files.
    const pattern = Buffer.alloc(Math.min(BLOCK, Math.max(4, sizeBytes)), hash(seed));
    for (let at = offset; at < sizeBytes; ) {
      const block = Math.floor(at / BLOCK);
      const bytes = Buffer.from(pattern);
      bytes.writeUInt32BE(block, 0);
      const piece = bytes.subarray(at - block * BLOCK, Math.min(BLOCK, sizeBytes - block * BLOCK));
      at += piece.length;
      yield piece;
    }
  }
  let sha256: string | null = null;
  return {
    path,
    sizeBytes,
    get sha256() {
      if (sha256 === null) {
        const digest = createHash('sha256');
        for (const piece of read()) digest.update(piece);
        sha256 = digest.digest('hex');
      }
      return sha256;
    },
    read,
  };
}

/** @param pixels 64 grey values */
function grayPng(pixels: Buffer): Buffer {
  const rows = Buffer.concat(
    Array.from({ length: 8 }, (_, row) =>
      Buffer.concat([Buffer.of(0), pixels.subarray(row * 8, row * 8 + 8)]),
    ),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(8, 0);
  head.writeUInt32BE(8, 4);
  head.writeUInt8(8, 8);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
