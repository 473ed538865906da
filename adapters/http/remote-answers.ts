import { firstCharacters, lineProblem } from '../../core/text/line-text.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import type { RemoteDataset, RemoteFile } from '../../core/ports/remote-source.js';

/** An answer of another form than agreed; the message says what is wrong and, in lists, with which entry (from 0). */
export class ShapeError extends Error {}

export const MAX_ID_LENGTH = 512;
const MAX_NAME_LENGTH = 200;
const MAX_PATH_TEXT = 2048;
const SHA256 = /^[0-9a-f]{64}$/;

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{items: [...], total}` of `GET {base}/datasets`. @throws ShapeError */
export function readDatasetList(value: unknown, pageSize: number): { items: RemoteDataset[]; total: number } {
  if (!isObject(value) || !Array.isArray(value.items))
    throw new ShapeError('the list of datasets is not an object with a list "items"');
  if (value.items.length > pageSize)
    throw new ShapeError(
      `the list holds ${value.items.length} datasets where page_size asked for at most ${pageSize}`,
    );
  const total = wholeOrNull(value.total);
  if (total === null || total === undefined)
    throw new ShapeError('the list of datasets has no whole number "total"');
  return { items: value.items.map(readDataset), total };
}

function readDataset(value: unknown, at: number): RemoteDataset {
  const bad = (problem: string) => new ShapeError(`dataset ${at} of the list ${problem}`);
  if (!isObject(value)) throw bad('is not an object');
  const { id, name, modality, updated_at } = value;
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH || lineProblem(id) !== null)
    throw bad(`has no "id" of 1 to ${MAX_ID_LENGTH} printable characters`);
  if (name !== undefined && (typeof name !== 'string' || lineProblem(name) !== null))
    throw bad('has a "name" that is not printable text');
  if (
    modality !== undefined &&
    modality !== null &&
    (typeof modality !== 'string' || modality.length > 64 || lineProblem(modality) !== null)
  )
    throw bad('has a "modality" that is not a short text');
  const updatedAt = typeof updated_at === 'string' ? parseInstant(updated_at) : null;
  if (updatedAt === null && updated_at !== undefined && updated_at !== null)
    throw bad('has an "updated_at" that is not a time in ISO 8601');
  const [fileCount, sizeBytes] = [wholeOrNull(value.file_count), wholeOrNull(value.size_bytes)];
  if (fileCount === undefined || sizeBytes === undefined)
    throw bad('has a "file_count" or "size_bytes" that is not a whole number');
  return {
    id,
    name: firstCharacters(typeof name === 'string' ? name : id, MAX_NAME_LENGTH),
    modality: modality ?? null,
    updatedAt,
    fileCount,
    sizeBytes,
  };
}

/** Null when absent, undefined when it is no whole number from 0 on. */
const wholeOrNull = (value: unknown): number | null | undefined =>
  value === undefined || value === null
    ? null
    : typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? value
      : undefined;

/** One entry `{path, size_bytes, sha256}` of a manifest. @throws ShapeError */
export function readManifestEntry(value: unknown, at: number): RemoteFile {
  const bad = (problem: string) => new ShapeError(`entry ${at} of the manifest ${problem}`);
  if (!isObject(value)) throw bad('is not an object');
  const { path, sha256 } = value;
  const sizeBytes = wholeOrNull(value.size_bytes);
  if (typeof path !== 'string' || path === '' || path.length > MAX_PATH_TEXT)
    throw bad(`has no "path" of 1 to ${MAX_PATH_TEXT} characters`);
  if (typeof sha256 !== 'string' || !SHA256.test(sha256))
    throw bad('has no "sha256" of 64 lower-case hex digits');
  if (sizeBytes === null || sizeBytes === undefined) throw bad('has no whole number "size_bytes"');
  return { path, sizeBytes, sha256 };
}
