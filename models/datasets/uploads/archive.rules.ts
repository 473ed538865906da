import { AppError, unprocessable } from '../../../core/errors/app-error.js';
import type { ArchiveEntry } from '../../../core/ports/archive-reader.js';
import type { LeftOut, LeftOutReason } from '../catalog/dataset.types.js';
import { checkFilePath, findFolderClash, shownName } from '../files/file-path.rules.js';

export interface ArchiveLimits {
  readonly maxMembers: number;
  readonly maxTotalBytes: number;
}

const GIB = 1024 ** 3;
export const MAX_ARCHIVE_BYTES = GIB;
/** `POST /archive`. */
export const ARCHIVE_LIMITS: ArchiveLimits = { maxMembers: 20_000, maxTotalBytes: 20 * GIB };
/** Upload sessions whose bytes are a ZIP. */
export const SESSION_LIMITS: ArchiveLimits = { maxMembers: 100_000, maxTotalBytes: 500 * GIB };

/** The longest path, decomposed and once more as a Unicode path (some 9 KiB), with room for other fields and a comment. */
const MAX_RECORD_BYTES = 16 * 1024;
/** The directory is held while it is judged. 670 bytes for each of 100,000 members. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** Small members may be as empty as they like; above this a member that shrinks 200-fold is a bomb. */
const RATIO_FREE_BYTES = 10 * 1024 * 1024;
const MAX_RATIO = 200;
const FOLDER_TYPES = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const LOCAL_HEADER_BYTES = 30;
/** What the store takes in one piece. */
const MAX_MEMBER_BYTES = 5 * GIB;

/** Known by its path alone: names that differ from it would be held for nothing. */
export interface ArchiveMember extends Omit<ArchiveEntry, 'name'> {
  readonly path: string;
}

const refuse = (reason: string, detail: unknown = null) =>
  new AppError(
    'unprocessable_entity',
    `The archive is refused: ${reason}. The dataset is unchanged.`,
    detail,
  );

/** @throws AppError payload_too_large; asked before any entry is read, so that a huge directory costs nothing */
export function assertMemberCount(count: number, limits: ArchiveLimits): void {
  if (count <= limits.maxMembers) return;
  const hint =
    limits.maxMembers < SESSION_LIMITS.maxMembers
      ? `; an upload session takes up to ${SESSION_LIMITS.maxMembers}`
      : '';
  throw new AppError(
    'payload_too_large',
    `The archive is refused: it has ${count} members, the limit is ${limits.maxMembers}${hint}. The dataset is unchanged.`,
    {
      max_members: limits.maxMembers,
    },
  );
}

/** @returns what takes the size of each record of a directory, to be asked before it is kept; @throws AppError payload_too_large, unprocessable_entity */
export function weighDirectory(): (recordBytes: number) => void {
  let total = 0;
  return (recordBytes) => {
    if (recordBytes > MAX_RECORD_BYTES)
      throw refuse(
        `name, extra fields and comment of a member are longer than ${MAX_RECORD_BYTES / 1024} KiB`,
      );
    total += recordBytes;
    if (total <= MAX_DIRECTORY_BYTES) return;
    throw new AppError(
      'payload_too_large',
      `The archive is refused: names, extra fields and comments of its members are longer than ${MAX_DIRECTORY_BYTES / 1024 ** 2} MiB. The dataset is unchanged.`,
      {
        max_directory_bytes: MAX_DIRECTORY_BYTES,
      },
    );
  };
}

const LEFT_OUT: ReadonlyArray<readonly [LeftOutReason, (entry: ArchiveEntry) => boolean]> = [
  ['folder', ({ name, sizeBytes }) => name.endsWith('/') && sizeBytes === 0],
  [
    'desktop_file',
    ({ name }) => /^__MACOSX\//.test(name) || /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(name),
  ],
];

/** Why a member is left out: a folder, or what desktop systems leave behind; null for the others. */
const leftOutReason = (entry: ArchiveEntry): LeftOutReason | null =>
  LEFT_OUT.find(([, holds]) => holds(entry))?.[0] ?? null;

export interface ArchivePlan {
  /** The members to unpack, in the order of their bytes. */
  readonly members: readonly ArchiveMember[];
  readonly leftOut: LeftOut;
}

/**
 * Decides about the whole directory before a byte is unpacked.
 * @param archiveBytes size of the archive itself
 * @throws AppError payload_too_large or unprocessable_entity with the reason
 */
export function planArchive(
  entries: readonly ArchiveEntry[],
  archiveBytes: number,
  limits: ArchiveLimits,
): ArchivePlan {
  assertMemberCount(entries.length, limits);
  assertNoOverlap(entries, archiveBytes);
  const reasons = entries.map(leftOutReason);
  const members = entries.filter((_, at) => reasons[at] === null).map(toMember);
  assertDistinct(members);
  assertSizes(members, limits);
  return { members: members.sort((a, b) => a.headerOffset - b.headerOffset), leftOut: countsOf(reasons) };
}

function countsOf(reasons: ReadonlyArray<LeftOutReason | null>): LeftOut {
  const counts: Partial<Record<LeftOutReason, number>> = {};
  for (const reason of reasons) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function toMember({ name, ...entry }: ArchiveEntry): ArchiveMember {
  const { path, problem } = checkFilePath(name);
  const shown = shownName(name);
  if (path === null) throw refuse(`member ${shown}: ${problem}`);
  const type = entry.unixMode & FOLDER_TYPES;
  if (type !== 0 && type !== REGULAR)
    throw refuse(
      `member ${shown} is ${type === DIRECTORY ? 'a folder with bytes' : 'a link or a special file'}`,
    );
  if (entry.isEncrypted) throw refuse(`member ${shown} is encrypted`);
  if (entry.method !== 0 && entry.method !== 8)
    throw refuse(`member ${shown} is compressed by a method other than deflate`);
  if (entry.method === 0 && entry.compressedBytes !== entry.sizeBytes)
    throw refuse(`member ${shown} states two different sizes`);
  return { ...entry, path };
}

function assertDistinct(members: readonly ArchiveMember[]): void {
  const paths = new Set<string>();
  for (const { path } of members) {
    if (paths.has(path))
      throw refuse(
        `it holds ${shownName(path)} twice, perhaps in two forms of Unicode, of which names have one here`,
      );
    paths.add(path);
  }
  const clash = findFolderClash([...paths]);
  if (clash !== null) throw refuse(`${shownName(clash)} is a file and a folder`);
}

function assertSizes(members: readonly ArchiveMember[], limits: ArchiveLimits): void {
  let total = 0;
  let compressed = 0;
  for (const member of members) {
    if (member.sizeBytes > MAX_MEMBER_BYTES)
      throw refuse(
        `member ${shownName(member.path)} is larger than 5 GiB; upload it by a session of its own`,
      );
    total += member.sizeBytes;
    compressed += member.compressedBytes;
    if (isBomb(member.sizeBytes, member.compressedBytes))
      throw refuse(`member ${shownName(member.path)} unpacks to more than ${MAX_RATIO} times its size`);
  }
  if (total > limits.maxTotalBytes) {
    const hint =
      limits.maxTotalBytes < SESSION_LIMITS.maxTotalBytes
        ? `; an upload session takes up to ${SESSION_LIMITS.maxTotalBytes}`
        : '';
    throw new AppError(
      'payload_too_large',
      `The archive is refused: it unpacks to ${total} bytes, the limit is ${limits.maxTotalBytes}${hint}. The dataset is unchanged.`,
      {
        max_bytes: limits.maxTotalBytes,
      },
    );
  }
  if (isBomb(total, compressed)) throw refuse(`it unpacks to more than ${MAX_RATIO} times its size`);
}

const isBomb = (bytes: number, compressed: number): boolean =>
  bytes > RATIO_FREE_BYTES && bytes > Math.max(1, compressed) * MAX_RATIO;

/** Members that share bytes are how small archives unpack to petabytes. */
function assertNoOverlap(entries: readonly ArchiveEntry[], archiveBytes: number): void {
  const sorted = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  let end = 0;
  for (const entry of sorted) {
    if (entry.headerOffset < end) throw refuse('its members overlap');
    end = entry.headerOffset + LOCAL_HEADER_BYTES + entry.compressedBytes;
    if (end > archiveBytes) throw refuse('a member reaches beyond the end');
  }
}

/** @throws AppError unprocessable_entity: the bytes are not what the directory promised */
export const lyingMember = (path: string, reason: string): AppError =>
  refuse(`member ${shownName(path)}: ${reason}`);
export const unreadableArchive = (): AppError => refuse('its directory is damaged');
export const notAnArchive = (): AppError =>
  unprocessable(
    [{ loc: ['body', 'file'], msg: 'is not a readable ZIP archive', type: 'value_error' }],
    'The file is not a readable ZIP archive; single files go to .../files. The dataset is unchanged.',
  );
