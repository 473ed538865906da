/** A file of a drop, and its path as the drop gave it. */
export interface Found<F = File> {
  readonly path: string;
  readonly file: F;
}

/** With the path that the platform keeps it under, and its size, which the browser reads from the disk each time that it is asked for. */
export interface Dropped<F = File> extends Found<F> {
  readonly size: number;
}

/**
 * How a file travels: in one form, in a session of chunks that can break off, or in a session whose ZIP is unpacked at the end.
 */
export type Way = 'form' | 'session' | 'archive';

/** Less is one request; from here on a file is sent in chunks of this size. */
export const CHUNK_BYTES = 8 * 1024 * 1024;
/** Small files that travel together in one archive. */
const BATCH_FILES = 250;
const BATCH_BYTES = 8 * 1024 * 1024;
const MAX_PATH = 512;
const MAX_NAME_BYTES = 255;
const JUNK = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);

export interface Selection<F = File> {
  readonly entries: readonly Dropped<F>[];
  /** Files that desktop systems leave behind. */
  readonly leftOut: number;
}

/** What is worth sending of a drop. */
export function selectionOf<F>(dropped: ReadonlyArray<Dropped<F>>): Selection<F> {
  const entries = dropped.filter(({ path }) => !isJunk(path));
  return { entries, leftOut: dropped.length - entries.length };
}

function isJunk(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return parts.includes('__macosx') || JUNK.has(parts.at(-1) ?? '');
}

/** Later files replace earlier ones of the same path. */
export function joined<F>(before: readonly Dropped<F>[], added: readonly Dropped<F>[]): Dropped<F>[] {
  return [...new Map([...before, ...added].map((entry) => [entry.path, entry])).values()];
}

/** The one folder that all paths begin with; null when there are several or files outside of it. */
export function commonRoot(paths: readonly string[]): string | null {
  const [first] = paths;
  const at = first?.indexOf('/') ?? -1;
  if (first === undefined || at < 0) return null;
  const root = first.slice(0, at + 1);
  return paths.every((path) => path.startsWith(root)) ? root.slice(0, -1) : null;
}

/** A folder that holds folders is a container, whose name says nothing; one that holds the files themselves may be their class. */
export const isRootKept = (paths: readonly string[]): boolean =>
  paths.some((path) => path.split('/').length < 3);

export const withoutRoot = (path: string, root: string): string =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;

/** ZIPs that were dropped themselves are unpacked; those inside a folder are files. */
export const isArchive = (path: string): boolean => !path.includes('/') && /\.zip$/i.test(path);

/** @param isZip whether its bytes begin as those of a ZIP: a session would unpack it, whatever its name */
export function wayOf(path: string, size: number, isZip: boolean): Way {
  if (isArchive(path)) return 'archive';
  return size < CHUNK_BYTES || isZip ? 'form' : 'session';
}

export const startsAsZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04;

/** True where the platform would take the path. */
export function isPath(path: string): boolean {
  if (path.length === 0 || path.length > MAX_PATH) return false;
  if (/[\u0000-\u001f\u007f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd\\]/.test(path)) return false;
  if (/^[A-Za-z]:\//.test(path)) return false;
  return path
    .split('/')
    .every(
      (name) => name.trim() !== '' && name !== '.' && name !== '..' && utf8Length(name) <= MAX_NAME_BYTES,
    );
}

const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;

/** Indexes of the chunks that the platform does not have yet. */
export function missingChunks(count: number, received: readonly number[]): number[] {
  const there = new Set(received);
  return Array.from({ length: count }, (_, index) => index).filter((index) => !there.has(index));
}

/** First byte of a chunk and the one after its last. */
export const chunkRange = (index: number, chunkSize: number, size: number): readonly [number, number] => [
  index * chunkSize,
  Math.min(size, (index + 1) * chunkSize),
];

export const totalSize = (entries: ReadonlyArray<{ readonly size: number }>): number =>
  entries.reduce((sum, { size }) => sum + size, 0);

/** Large files and archives go one after the other, in chunks; the others many at once. */
export const isLarge = ({ path, size }: Dropped<unknown>): boolean => isArchive(path) || size >= CHUNK_BYTES;

/** Whether one more small file travels with those before it. */
export const fitsBatch = (batch: ReadonlyArray<Dropped<unknown>>, next: Dropped<unknown>): boolean => {
  const small = batch.filter((entry) => !isLarge(entry));
  return isLarge(next) || (small.length < BATCH_FILES && totalSize(small) + next.size <= BATCH_BYTES);
};

/** An id like the platform makes it from a name: lower case, hyphens. */
export const idFromName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/[-._]+$/, '')
    .slice(0, 64);
