import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { AnnotationReading } from '../../formats/annotations/annotation.types.js';
import { CocoReader } from '../../formats/annotations/coco/coco-reader.js';
import { JsonElements, JsonRefusal } from '../../formats/json/json-elements.js';
import { readVoc } from '../../formats/annotations/voc/voc-annotation.js';
import { MAX_LIST_BYTES, readImageList } from '../../formats/annotations/yolo/yolo-list.js';
import { readYoloConfig } from '../../formats/annotations/yolo/yolo-config.js';
import { readClassNames, readYoloLabels } from '../../formats/annotations/yolo/yolo-labels.js';
import { type FileType, isImageListFile, isNamesFile, SNIFF_BYTES } from '../../formats/files/file-type.js';
import { decodeText } from '../../formats/files/text-encoding.js';

/** Label and VOC files describe one image. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
export const MAX_JSON_BYTES = 2 * 1024 ** 3;
const SLICE = 1024 * 1024;
const UNDECLARED =
  'its text is not in the encoding that its XML declares (UTF-8 where it declares none); store it as UTF-8';
const NOT_UTF8 = 'its text is not UTF-8; store it as UTF-8';

/** Null for annotation files of a format that is not known here. */
export function readAnnotation(type: FileType, path: string, bytes: Buffer): AnnotationReading | null {
  if (type.mediaType === 'application/json')
    return isUtf8(bytes) ? readCoco(path, bytes) : { facts: null, problem: NOT_UTF8 };
  const list = type.mediaType === 'text/plain' ? listEncoding(path, bytes) : null;
  if (list !== null)
    return readImageList(
      list === 'utf-8' || bytes.length > MAX_LIST_BYTES
        ? bytes
        : Buffer.from(new TextDecoder(list).decode(bytes)),
      path,
    );
  if (bytes.length > MAX_TEXT_BYTES)
    return {
      facts: null,
      problem: `an annotation file of more than ${MAX_TEXT_BYTES} bytes is not supported`,
    };
  const decoded = decodeText(bytes, false);
  if (decoded === null) return { facts: null, problem: NOT_UTF8 };
  const { text, isCertain } = decoded;
  if (type.mediaType === 'application/xml')
    return isCertain ? readVoc(text, path) : { facts: null, problem: UNDECLARED };
  const reading =
    type.mediaType === 'application/yaml'
      ? readYoloConfig(text)
      : isNamesFile(path)
        ? readClassNames(text)
        : readYoloLabels(text, path);
  return isCertain || reading.problem !== null
    ? reading
    : { ...reading, note: 'its text is not UTF-8; it is read as windows-1252' };
}

/** The encoding of a list of images; null for what is none. @param bytes the beginning at least */
export function listEncoding(path: string, bytes: Buffer): string | null {
  const head = decodeText(bytes.subarray(0, SNIFF_BYTES), true);
  return head !== null && isImageListFile(path, head.text.replace(/^\uFEFF/, '').trimStart())
    ? head.encoding
    : null;
}

/** Says only what its beginning shows: the reader of JSON looks at all of it. */
const isUtf8 = (bytes: Buffer): boolean =>
  decodeText(bytes.subarray(0, SNIFF_BYTES), true)?.encoding === 'utf-8';

function readCoco(path: string, bytes: Buffer): AnnotationReading | null {
  const reader = new CocoReader();
  for (let at = 0; at < bytes.length && reader.isReadable; at += SLICE)
    reader.push(bytes.subarray(at, at + SLICE));
  const problem = reader.isList ? listProblem(bytes) : null;
  return problem === null ? reader.end(path) : { facts: null, problem };
}

/** Why it is no JSON, or null. A list is walked over: as objects it would take many times its size. */
function listProblem(bytes: Buffer): string | null {
  try {
    const list = new JsonElements(new Set(), () => undefined, true);
    list.push(bytes);
    list.end();
    return null;
  } catch (error) {
    if (error instanceof JsonRefusal) return error.message;
    throw error;
  }
}

/** Reads a large COCO file as it comes from the store, and checks that its bytes are the uploaded ones. */
export async function streamCoco(
  objects: ObjectStore,
  file: { readonly objectKey: string; readonly path: string; readonly sha256: string },
  signal: AbortSignal,
): Promise<AnnotationReading | null> {
  const reader = new CocoReader();
  const hash = createHash('sha256');
  for await (const piece of (await objects.get(file.objectKey, { signal })) as AsyncIterable<Buffer>) {
    hash.update(piece);
    reader.push(piece);
  }
  if (hash.digest('hex') !== file.sha256)
    return { facts: null, problem: 'its bytes are no longer those that were uploaded; upload it again' };
  return reader.end(file.path);
}
