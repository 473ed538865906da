import { unreadFormat } from '../annotations/unread-formats.js';
import { isImageList } from '../annotations/yolo/yolo-list.js';
import { isYoloText } from '../annotations/yolo/yolo-recognition.js';
import { holdsAt, imageTypeOf } from '../images/image-type.js';
import { readMarkupStart } from './markup-start.js';
import { decodeText } from './text-encoding.js';

/** How many leading bytes the recognition needs at most. */
export const SNIFF_BYTES = 65_536;

export interface FileType {
  readonly mediaType: string;
  readonly kind: 'image' | 'annotation' | 'tabular' | 'other';
}

const OTHER: FileType = { mediaType: 'application/octet-stream', kind: 'other' };

/** Image types that a browser may show in place: none of them can carry a script. */
export const INLINE_IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/tiff',
]);

/** What a file is, by its first bytes; the name only decides between kinds of text. Never trusts a client's type. */
export function recognizeFile(head: Uint8Array, path: string): FileType {
  return recognizeBinary(head) ?? recognizeText(head, path) ?? OTHER;
}

/** True for the bytes of a ZIP (also an empty one). */
export const isZip = (head: Uint8Array): boolean =>
  holdsAt(head, 0, 'PK\u0003\u0004') || holdsAt(head, 0, 'PK\u0005\u0006');

function recognizeBinary(head: Uint8Array): FileType | null {
  const mediaType = imageTypeOf(head);
  if (mediaType !== null) return { mediaType, kind: 'image' };
  if (holdsAt(head, 0, 'PAR1')) return { mediaType: 'application/vnd.apache.parquet', kind: 'tabular' };
  if (isZip(head)) return { mediaType: 'application/zip', kind: 'other' };
  if (holdsAt(head, 0, '%PDF-')) return { mediaType: 'application/pdf', kind: 'other' };
  return null;
}

function recognizeText(head: Uint8Array, path: string): FileType | null {
  const extension = extensionOf(path);
  const text = textOf(head, extension);
  if (text === null) return null;
  const start = text.replace(/^\uFEFF/, '').trimStart();
  // Markup first: a page or a vector image stays what it is under any name.
  const { isXml, doctype, root } = readMarkupStart(start);
  if (doctype === 'svg' || root?.startsWith('svg')) return { mediaType: 'image/svg+xml', kind: 'other' };
  if (doctype === 'html' || HTML_ELEMENTS.has(root ?? '') || mayBeSniffed(start, extension))
    return { mediaType: 'text/html', kind: 'other' };
  // With a declaration of types before it, it is refused by whoever reads annotations, for that reason.
  if (root === 'annotation') return { mediaType: 'application/xml', kind: 'annotation' };
  if (isXml) return { mediaType: 'application/xml', kind: 'other' };
  if (isNamesFile(path)) return { mediaType: 'text/plain', kind: 'annotation' };
  return byExtension(start, extension, path);
}

const HTML_ELEMENTS: ReadonlySet<string> = new Set(['html', 'head', 'body', 'script', 'iframe']);
const HTML_SNIFFED = 1024;
/** Their values may quote HTML: only what begins as a page is one. They are never shown in place, so nothing takes them for pages. */
const QUOTING: ReadonlySet<string> = new Set(['json', 'jsonl', 'ndjson', 'csv', 'tsv', 'yaml', 'yml']);

/** A browser that guesses would take the text for a page, wherever in its beginning the element stands. */
const mayBeSniffed = (start: string, extension: string): boolean =>
  !QUOTING.has(extension) &&
  /<(!doctype html|html|head|body|script|iframe)[\s>]/i.test(start.slice(0, HTML_SNIFFED));

function byExtension(start: string, extension: string, path: string): FileType {
  switch (extension) {
    case 'json':
      return { mediaType: 'application/json', kind: isAnnotationJson(start) ? 'annotation' : 'other' };
    case 'jsonl':
    case 'ndjson':
      return { mediaType: 'application/x-ndjson', kind: 'tabular' };
    case 'csv':
      return { mediaType: 'text/csv', kind: 'tabular' };
    case 'tsv':
      return { mediaType: 'text/tab-separated-values', kind: 'tabular' };
    case 'yaml':
    case 'yml':
      return {
        mediaType: 'application/yaml',
        kind: /^(names|nc|kpt_shape)\s*:/m.test(start) ? 'annotation' : 'other',
      };
    case 'txt':
      return {
        mediaType: 'text/plain',
        kind: isInLabels(path) || isYoloText(start) || isImageList(start) ? 'annotation' : 'other',
      };
    default:
      return { mediaType: 'text/plain', kind: 'other' };
  }
}

/** True for the customary names of lists of classes, one a line. */
export const isNamesFile = (path: string): boolean =>
  /(^|\/)(classes\.txt|labels\.txt|obj\.names|_darknet\.labels)$/i.test(path);

const isInLabels = (path: string): boolean => /(^|\/)labels\//i.test(path);

/** True for a list of images, one a line. @param start the beginning of the text */
export const isImageListFile = (path: string, start: string): boolean =>
  !isNamesFile(path) && !isInLabels(path) && isImageList(start);

/** Large COCO files begin with their images. */
const isAnnotationJson = (start: string): boolean =>
  /"(annotations|categories|shapes)"\s*:/.test(start) ||
  (/"images"\s*:\s*\[/.test(start) && /"file_name"\s*:/.test(start)) ||
  unreadFormat(start) !== null;

/** Names of tables and of annotations: their text may be in another encoding than UTF-8. */
const ENCODED: ReadonlySet<string> = new Set([
  'csv',
  'tsv',
  'jsonl',
  'ndjson',
  'json',
  'xml',
  'yaml',
  'yml',
  'txt',
  'names',
  'labels',
]);

/** The head as text, or null when it is none. A character cut at the end of the head does not count. */
function textOf(head: Uint8Array, extension: string): string | null {
  const decoded = decodeText(head, true);
  if (decoded === null) return null;
  const isCertain = decoded.isCertain && !decoded.encoding.startsWith('utf-16');
  return isCertain || ENCODED.has(extension) ? decoded.text : null;
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = name.lastIndexOf('.');
  return at <= 0 ? '' : name.slice(at + 1).toLowerCase();
}
