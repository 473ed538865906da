import { createHash } from 'node:crypto';
import { AppError } from '../../core/errors/app-error.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { CheckedFile, PendingFile } from '../../models/datasets/dataset-validation.repository.js';
import { labelOf } from '../../models/datasets/file-path.rules.js';
import { type FileType, recognizeFile, SNIFF_BYTES } from '../../models/datasets/file-type.rules.js';
import { readAll, readHead } from './object-access.js';

/** Images beyond this are not decoded, other files not read to their end. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Reads one file again and says whether it is what its row claims and can be used. */
export async function checkFile(deps: { objects: ObjectStore; images: ImageDecoder; signal: AbortSignal }, file: PendingFile): Promise<CheckedFile> {
  try {
    return await check(deps, file);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return verdict(file, { mediaType: 'application/octet-stream', kind: 'other' }, 'its bytes are missing in the store; upload it again');
  }
}

async function check(deps: { objects: ObjectStore; images: ImageDecoder; signal: AbortSignal }, file: PendingFile): Promise<CheckedFile> {
  const { objects, images, signal } = deps;
  if (file.size_bytes > MAX_READ_BYTES) {
    const type = recognizeFile(await readHead(objects, file.object_key, file.size_bytes, signal), file.path);
    return verdict(file, type, type.kind === 'image' ? `an image of more than ${MAX_READ_BYTES} bytes is not supported` : null);
  }
  const bytes = await readAll(await objects.get(file.object_key, { signal }), MAX_READ_BYTES);
  const type = recognizeFile(bytes.subarray(0, SNIFF_BYTES), file.path);
  if (createHash('sha256').update(bytes).digest('hex') !== file.sha256) return verdict(file, type, 'its bytes are no longer those that were uploaded; upload it again');
  if (type.kind === 'image') {
    const { facts, problem } = await images.check(bytes);
    return { ...verdict(file, type, problem), width: facts?.width ?? null, height: facts?.height ?? null };
  }
  return verdict(file, type, type.kind === 'annotation' && type.mediaType === 'application/json' ? jsonProblem(bytes) : null);
}

function jsonProblem(bytes: Buffer): string | null {
  if (bytes.length > MAX_JSON_BYTES) return null;
  try {
    JSON.parse(bytes.toString('utf8'));
    return null;
  } catch {
    return 'it is not valid JSON';
  }
}

const verdict = (file: PendingFile, type: FileType, problem: string | null): CheckedFile => ({
  id: file.id,
  status: problem === null ? 'valid' : 'invalid',
  reason: problem,
  mediaType: type.mediaType,
  kind: type.kind,
  label: type.kind === 'image' ? labelOf(file.path) : null,
  width: null,
  height: null,
});
