import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors/app-error.js';
import type { Slots } from '../../core/load/slots.js';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { TableReader } from '../../core/ports/table-reader.js';
import type { AnnotationFacts, AnnotationReading } from '../../formats/annotations/annotation.types.js';
import { unreadFormat } from '../../formats/annotations/unread-formats.js';
import { cleanText } from '../../formats/annotations/image-reference.js';
import type { PendingFile } from '../../models/datasets/validation/dataset-validation.queries.js';
import type { CheckedFile } from '../../models/datasets/validation/file-check.sql.js';
import { labelOf } from '../../models/datasets/files/file-path.rules.js';
import { type FileType, recognizeFile, SNIFF_BYTES } from '../../formats/files/file-type.js';
import { listEncoding, MAX_JSON_BYTES, readAnnotation, streamCoco } from './annotation-reader.js';
import { decodeText } from '../../formats/files/text-encoding.js';
import { digestObject, objectReader, readAll, readHead } from '../../models/objects/object-reader.js';
import { checkTable, type TableVerdict } from './table-checker.js';

/** Images beyond this are not decoded, annotations only read as they come. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Files up to this are held whole, whatever they are; larger ones only where their reader needs all bytes. */
const SMALL_BYTES = 8 * 1024 * 1024;
/** What all files held whole in one process take together: one of the largest, or many small ones. */
export const HELD_BYTES = MAX_READ_BYTES;
const DAMAGED = 'its bytes are no longer those that were uploaded; upload it again';
const UNKNOWN: FileType = { mediaType: 'application/octet-stream', kind: 'other' };

export interface CheckDeps {
  readonly objects: ObjectStore;
  readonly images: ImageDecoder;
  readonly tables: TableReader;
  readonly tenantId: string;
  readonly signal: AbortSignal;
  /** Large annotation files are read one at a time. */
  readonly turns: Slots;
  /** Bytes of files held whole, one budget of HELD_BYTES for the process. */
  readonly memory: Slots;
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
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found')
      return verdict(file, UNKNOWN, 'its bytes are missing in the store; upload it again');
    // Its object is shorter than the file was.
    if (error.code === 'range_not_satisfiable') return verdict(file, UNKNOWN, DAMAGED);
    throw error;
  }
}

async function check(deps: CheckDeps, file: PendingFile): Promise<FileFindings> {
  if (file.sizeBytes <= SMALL_BYTES) return checkWhole(deps, file);
  const head = await readHead(deps.objects, file.objectKey, file.sizeBytes, deps.signal);
  const type = recognizeFile(head, file.path);
  if (type.kind === 'annotation')
    return deps.turns.during(() => checkLargeAnnotation(deps, file, type, head), 1, deps.signal);
  if (type.kind !== 'image') return checkStreamed(deps, file);
  return file.sizeBytes <= MAX_READ_BYTES
    ? checkWhole(deps, file)
    : verdict(file, type, `an image of more than ${MAX_READ_BYTES} bytes is not supported`);
}

async function checkLargeAnnotation(
  deps: CheckDeps,
  file: PendingFile,
  type: FileType,
  head: Buffer,
): Promise<FileFindings> {
  if (file.sizeBytes <= MAX_READ_BYTES) return checkWhole(deps, file);
  if (listEncoding(file.path, head) !== null) return checkStreamed(deps, file);
  if (type.mediaType !== 'application/json')
    return verdict(
      file,
      type,
      `an annotation file of more than ${MAX_READ_BYTES} bytes is supported as JSON only`,
    );
  if (file.sizeBytes > MAX_JSON_BYTES)
    return verdict(
      file,
      type,
      `an annotation file of more than ${MAX_JSON_BYTES} bytes is not supported; part it`,
    );
  return annotated(file, type, await streamCoco(deps.objects, file, deps.signal), head);
}

/** Reads every byte and holds none: what needs no whole file, however large it is. */
async function checkStreamed(
  { objects, tables, tenantId, signal }: CheckDeps,
  file: PendingFile,
): Promise<FileFindings> {
  const { sha256, head } = await digestObject(objects, file.objectKey, signal);
  const type = recognizeFile(head, file.path);
  if (sha256 !== file.sha256) return verdict(file, type, DAMAGED);
  if (type.kind !== 'tabular') return verdict(file, type, null);
  return tabular(
    file,
    type,
    await checkTable(tables, objectReader(objects, file.objectKey, file.sizeBytes, signal), type.mediaType, {
      tenantId,
      signal,
    }),
  );
}

const checkWhole = (deps: CheckDeps, file: PendingFile): Promise<FileFindings> =>
  deps.memory.during(() => checkHeld(deps, file), file.sizeBytes, deps.signal);

async function checkHeld(
  { objects, images, tables, tenantId, signal }: CheckDeps,
  file: PendingFile,
): Promise<FileFindings> {
  const bytes = await readAll(await objects.get(file.objectKey, { signal }), file.sizeBytes).catch(
    (error: unknown) => {
      if (error instanceof RangeError) return null;
      throw error;
    },
  );
  // More bytes than the file had.
  if (bytes === null) return verdict(file, UNKNOWN, DAMAGED);
  const head = bytes.subarray(0, SNIFF_BYTES);
  const type = recognizeFile(head, file.path);
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) return verdict(file, type, DAMAGED);
  if (type.kind === 'annotation') return annotated(file, type, readAnnotation(type, file.path, bytes), head);
  if (type.kind === 'tabular')
    return tabular(
      file,
      type,
      await checkTable(tables, inMemory(bytes), type.mediaType, { tenantId, signal }),
    );
  if (type.kind !== 'image') return verdict(file, type, null);
  const { facts, problem } = await images.check(bytes);
  const found = verdict(file, type, problem);
  const likeness = facts !== null && 'likeness' in facts ? facts.likeness : null;
  return {
    ...found,
    check: {
      ...found.check,
      width: facts?.width ?? null,
      height: facts?.height ?? null,
      orientation: facts?.orientation ?? null,
      likeness,
    },
  };
}

const cleanReason = (reason: string | null): string | null => reason && cleanText(reason);

const inMemory = (bytes: Buffer): RandomAccess => ({
  sizeBytes: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

const tabular = (file: PendingFile, type: FileType, { problem, note }: TableVerdict): FileFindings =>
  verdict(file, type, problem, note);

/** Only of JSON a whole file may be no annotation that is read here. */
const annotated = (
  file: PendingFile,
  type: FileType,
  reading: AnnotationReading | null,
  head: Buffer,
): FileFindings => ({
  ...verdict(
    file,
    type,
    reading?.problem ?? null,
    reading === null
      ? unreadFormat(decodeText(head, true)?.text ?? '')?.reason
      : reading.problem === null
        ? reading.note
        : null,
  ),
  annotation: reading?.facts ?? null,
});

/** @param note what is remarkable about a valid file */
const verdict = (
  file: PendingFile,
  type: FileType,
  problem: string | null,
  note: string | null = null,
): FileFindings => ({
  check: {
    id: file.id,
    status: problem === null ? 'valid' : 'invalid',
    // Reasons quote their file, which may hold what no database takes.
    reason: cleanReason(problem ?? note),
    mediaType: type.mediaType,
    kind: type.kind,
    label: type.kind === 'image' ? labelOf(file.path) : null,
    width: null,
    height: null,
    orientation: null,
    likeness: null,
  },
  annotation: null,
});
