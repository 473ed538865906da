import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors/app-error.js';
import type { Slots } from '../../core/load/slots.js';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { TableReader } from '../../core/ports/table-reader.js';
import type { AnnotationFacts, AnnotationReading } from '../../models/datasets/annotations/annotation.types.js';
import { splitOf } from '../../models/datasets/annotations/image-reference.rules.js';
import type { CheckedFile, PendingFile } from '../../models/datasets/dataset-validation.repository.js';
import { labelOf } from '../../models/datasets/file-path.rules.js';
import { type FileType, recognizeFile, SNIFF_BYTES } from '../../models/datasets/file-type.rules.js';
import { MAX_JSON_BYTES, readAnnotation, streamCoco } from './annotation-reader.js';
import { objectAccess, readAll, readHead } from '../../models/objects/object-access.js';
import { checkTable, type TableVerdict } from './table-checker.js';

/** Images beyond this are not decoded, other files not read to their end. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Annotation files beyond this are read one at a time. */
const LARGE_ANNOTATION_BYTES = 8 * 1024 * 1024;

export interface CheckDeps {
  readonly objects: ObjectStore;
  readonly images: ImageDecoder;
  readonly tables: TableReader;
  readonly signal: AbortSignal;
  /** Large annotation files are read one at a time. */
  readonly turns: Slots;
}

export interface FileFindings {
  readonly check: CheckedFile;
  /** Null for files that annotate nothing, or cannot be read. */
  readonly annotation: AnnotationFacts | null;
}

/** Reads one file again and says whether it is what its row claims and can be used. */
export async function checkFile(deps: CheckDeps, file: PendingFile): Promise<FileFindings> {
  try {
    return await check(deps, file);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return verdict(file, { mediaType: 'application/octet-stream', kind: 'other' }, 'its bytes are missing in the store; upload it again');
  }
}

async function check(deps: CheckDeps, file: PendingFile): Promise<FileFindings> {
  if (file.size_bytes > MAX_READ_BYTES) return checkLarge(deps, file);
  // Known from its upload, so that large ones take turns before they are read.
  if (file.kind === 'annotation' && file.size_bytes > LARGE_ANNOTATION_BYTES) return deps.turns.during(() => checkWhole(deps, file));
  return checkWhole(deps, file);
}

async function checkLarge({ objects, tables, signal, turns }: CheckDeps, file: PendingFile): Promise<FileFindings> {
  const type = recognizeFile(await readHead(objects, file.object_key, file.size_bytes, signal), file.path);
  if (type.kind === 'image') return verdict(file, type, `an image of more than ${MAX_READ_BYTES} bytes is not supported`);
  if (type.kind === 'tabular') return tabular(file, type, await checkTable(tables, objectAccess(objects, file.object_key, file.size_bytes, signal), type.mediaType));
  if (type.kind !== 'annotation') return verdict(file, type, null);
  if (type.mediaType !== 'application/json') return verdict(file, type, `an annotation file of more than ${MAX_READ_BYTES} bytes is supported as JSON only`);
  if (file.size_bytes > MAX_JSON_BYTES) return verdict(file, type, `an annotation file of more than ${MAX_JSON_BYTES} bytes is not supported; part it`);
  return annotated(file, type, await turns.during(() => streamCoco(objects, file, signal)));
}

async function checkWhole({ objects, images, tables, signal }: CheckDeps, file: PendingFile): Promise<FileFindings> {
  const bytes = await readAll(await objects.get(file.object_key, { signal }), MAX_READ_BYTES);
  const type = recognizeFile(bytes.subarray(0, SNIFF_BYTES), file.path);
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) return verdict(file, type, 'its bytes are no longer those that were uploaded; upload it again');
  if (type.kind === 'annotation') return annotated(file, type, readAnnotation(type, file.path, bytes));
  if (type.kind === 'tabular') return tabular(file, type, await checkTable(tables, inMemory(bytes), type.mediaType));
  if (type.kind !== 'image') return verdict(file, type, null);
  const { facts, problem } = await images.check(bytes);
  const found = verdict(file, type, problem);
  const perceptualHash = facts !== null && 'perceptualHash' in facts ? facts.perceptualHash : null;
  return { ...found, check: { ...found.check, width: facts?.width ?? null, height: facts?.height ?? null, perceptualHash } };
}

const inMemory = (bytes: Buffer): RandomAccess => ({ sizeBytes: bytes.length, read: async (start, end) => bytes.subarray(start, end) });

const tabular = (file: PendingFile, type: FileType, { problem, note }: TableVerdict): FileFindings => {
  const found = verdict(file, type, problem);
  return { ...found, check: { ...found.check, reason: problem ?? note } };
};

const annotated = (file: PendingFile, type: FileType, reading: AnnotationReading | null): FileFindings => ({
  ...verdict(file, type, reading?.problem ?? null),
  annotation: reading?.facts ?? null,
});

const verdict = (file: PendingFile, type: FileType, problem: string | null): FileFindings => ({
  check: {
    id: file.id,
    status: problem === null ? 'valid' : 'invalid',
    reason: problem,
    mediaType: type.mediaType,
    kind: type.kind,
    label: type.kind === 'image' ? labelOf(file.path) : null,
    split: splitOf(file.path),
    width: null,
    height: null,
    perceptualHash: null,
  },
  annotation: null,
});
