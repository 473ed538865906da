import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { AnnotationReading } from '../../models/datasets/annotations/annotation.types.js';
import { CocoReader } from '../../models/datasets/annotations/coco-reader.rules.js';
import { readVoc } from '../../models/datasets/annotations/voc-annotation.rules.js';
import { readYoloConfig } from '../../models/datasets/annotations/yolo-config.js';
import { readClassNames, readYoloLabels } from '../../models/datasets/annotations/yolo-labels.rules.js';
import { type FileType, isNamesFile } from '../../models/datasets/file-type.rules.js';

/** Label and VOC files describe one image. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
export const MAX_JSON_BYTES = 2 * 1024 ** 3;
const SLICE = 1024 * 1024;
const MAX_PARSED_BYTES = 16 * 1024 * 1024;

/** Null for annotation files of a format that is not known here. */
export function readAnnotation(type: FileType, path: string, bytes: Buffer): AnnotationReading | null {
  if (type.mediaType === 'application/json') return readCoco(path, bytes);
  if (bytes.length > MAX_TEXT_BYTES) return { facts: null, problem: `an annotation file of more than ${MAX_TEXT_BYTES} bytes is not supported` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { facts: null, problem: 'its text is not UTF-8' };
  }
  if (type.mediaType === 'application/xml') return readVoc(text, path);
  if (type.mediaType === 'application/yaml') return readYoloConfig(text);
  return isNamesFile(path) ? readClassNames(text) : readYoloLabels(text, path);
}

function readCoco(path: string, bytes: Buffer): AnnotationReading | null {
  // Lists of annotations are not COCO, but may be those of another tool.
  if (/^\s*\[/.test(bytes.toString('latin1', 0, 64))) return isJson(bytes) ? null : { facts: null, problem: 'it is not valid JSON' };
  const reader = new CocoReader();
  for (let at = 0; at < bytes.length && reader.isReadable; at += SLICE) reader.push(bytes.subarray(at, at + SLICE));
  return reader.end(path);
}

function isJson(bytes: Buffer): boolean {
  if (bytes.length > MAX_PARSED_BYTES) return true;
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Reads a large COCO file as it comes from the store, and checks that its bytes are the uploaded ones. */
export async function streamCoco(
  objects: ObjectStore,
  file: { readonly object_key: string; readonly path: string; readonly sha256: string },
  signal: AbortSignal,
): Promise<AnnotationReading | null> {
  const reader = new CocoReader();
  const hash = createHash('sha256');
  for await (const piece of (await objects.get(file.object_key, { signal })) as AsyncIterable<Buffer>) {
    hash.update(piece);
    reader.push(piece);
  }
  if (hash.digest('hex') !== file.sha256) return { facts: null, problem: 'its bytes are no longer those that were uploaded; upload it again' };
  return reader.end(file.path);
}
