import type { AnnotationEntry, AnnotationReading } from '../annotation.types.js';
import { folderOf, referencedPath, splitExtension } from '../image-reference.js';

/** Some 500,000 paths. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;
/** No path of a dataset is longer, and few prefixes of other machines. */
const MAX_LINE_BYTES = 4096;
const LINES_LOOKED_AT = 20;
const IMAGE = /\.(png|jpe?g|webp|gif|tiff?|avif|bmp)$/i;
/** How many trailing parts of a foreign path may match the dataset. */
const MAX_ENDING = 4;
const NO_OBJECT = new Uint8Array(0);

/** At least every second of the first lines is the name of an image. */
export function isImageList(start: string): boolean {
  const lines = start
    .split('\n', LINES_LOOKED_AT)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length > 0 && lines.filter((line) => IMAGE.test(line)).length * 2 >= lines.length;
}

/** A list of images, one path a line, as a YOLO configuration names it for a part. Lines that are no image are passed over. */
export function readImageList(bytes: Buffer, path: string): AnnotationReading {
  const isLarge = bytes.length > MAX_LIST_BYTES;
  let imageCount = 0;
  if (!isLarge) for (const _ of linesOf(bytes)) imageCount += 1;
  const entries: Iterable<AnnotationEntry> = {
    [Symbol.iterator]: () => (isLarge ? [].values() : entriesOf(bytes, path)),
  };
  const facts = {
    kind: 'yolo_list',
    classes: [],
    keypointShape: null,
    imageCount,
    objectCount: 0,
    orphanCount: 0,
    entries,
    heldBytes: bytes.length,
  } as const;
  return {
    facts,
    problem: null,
    ...(isLarge && { note: `a list of images of more than ${MAX_LIST_BYTES} bytes is not read; part it` }),
  };
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found < 0 ? bytes.length : found;
    if (end - at <= MAX_LINE_BYTES) {
      const line = bytes.toString('utf8', at, end).trim();
      if (IMAGE.test(line)) yield line;
    }
    at = end + 1;
  }
}

function* entriesOf(bytes: Buffer, path: string): Generator<AnnotationEntry> {
  const folder = folderOf(path);
  for (const line of linesOf(bytes)) {
    const { base, extension } = splitExtension(referencedPath(line));
    yield {
      refs: refsOfLine(folder, base),
      name: base,
      extension,
      split: null,
      width: null,
      height: null,
      objects: NO_OBJECT,
    };
  }
}

/** Beside the list, as Ultralytics takes `./` and most lists mean it, from the root, and beside it without the folders of another machine. */
function refsOfLine(folder: string, base: string): string[] {
  if (folder === '') return [base];
  const parts = base.split('/');
  const endings = [];
  for (let from = Math.max(1, parts.length - MAX_ENDING); from < parts.length - 1; from += 1)
    endings.push(`${folder}/${parts.slice(from).join('/')}`);
  return [`${folder}/${base}`, base, ...endings];
}
