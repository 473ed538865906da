import type { FileKind } from './dataset.types.js';

/** How many leading bytes the recognition needs at most. */
export const SNIFF_BYTES = 65_536;

export interface FileType {
  readonly mediaType: string;
  readonly kind: FileKind;
}

const OTHER: FileType = { mediaType: 'application/octet-stream', kind: 'other' };
const image = (subtype: string): FileType => ({ mediaType: `image/${subtype}`, kind: 'image' });

/** Image types that a browser may show in place: none of them can carry a script. */
export const INLINE_IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp', 'image/tiff']);

const ascii = (bytes: Uint8Array, from: number, text: string): boolean => {
  if (bytes.length < from + text.length) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
};

/** What a file is, by its first bytes; the name only decides between kinds of text. Never trusts a client's type. */
export function recognizeFile(head: Uint8Array, path: string): FileType {
  return recognizeBinary(head) ?? recognizeText(head, path) ?? OTHER;
}

/** True for the bytes of a ZIP (also an empty one). */
export const isZip = (head: Uint8Array): boolean => ascii(head, 0, 'PK\u0003\u0004') || ascii(head, 0, 'PK\u0005\u0006');

function recognizeBinary(head: Uint8Array): FileType | null {
  if (ascii(head, 0, '\u0089PNG\r\n\u001a\n')) return image('png');
  if (ascii(head, 0, '\u00ff\u00d8\u00ff')) return image('jpeg');
  if (ascii(head, 0, 'GIF87a') || ascii(head, 0, 'GIF89a')) return image('gif');
  if (ascii(head, 0, 'RIFF') && ascii(head, 8, 'WEBP')) return image('webp');
  if (ascii(head, 0, 'II*\u0000') || ascii(head, 0, 'MM\u0000*')) return image('tiff');
  if (ascii(head, 0, 'BM') && head.length >= 26 && head[6] === 0 && head[7] === 0) return image('bmp');
  if (ascii(head, 4, 'ftyp')) return isoMedia(head);
  if (ascii(head, 0, 'PAR1')) return { mediaType: 'application/vnd.apache.parquet', kind: 'tabular' };
  if (isZip(head)) return { mediaType: 'application/zip', kind: 'other' };
  if (ascii(head, 0, '%PDF-')) return { mediaType: 'application/pdf', kind: 'other' };
  return null;
}

function isoMedia(head: Uint8Array): FileType | null {
  if (ascii(head, 8, 'avif') || ascii(head, 8, 'avis')) return image('avif');
  if (['heic', 'heix', 'hevc', 'mif1', 'msf1'].some((brand) => ascii(head, 8, brand))) return image('heif');
  return null;
}

function recognizeText(head: Uint8Array, path: string): FileType | null {
  const extension = extensionOf(path);
  const text = textOf(head) ?? otherTextOf(head, extension);
  if (text === null) return null;
  const start = text.replace(/^\uFEFF/, '').trimStart();
  // Markup first: a page or a vector image stays what it is under any name.
  if (/^(<\?xml[^>]*\?>\s*)?(<!--[\s\S]*?-->\s*)*(<!doctype svg|<svg)/i.test(start)) return { mediaType: 'image/svg+xml', kind: 'other' };
  if (/<(!doctype html|html|head|body|script|iframe)[\s>]/i.test(start.slice(0, 1024))) return { mediaType: 'text/html', kind: 'other' };
  // With a declaration of types before it, it is refused by whoever reads annotations, for that reason.
  if (/^(<\?xml[^>]*\?>\s*)?(<!doctype\s[\s\S]*)?<annotation[\s>]/i.test(start)) return { mediaType: 'application/xml', kind: 'annotation' };
  if (start.startsWith('<?xml')) return { mediaType: 'application/xml', kind: 'other' };
  if (isNamesFile(path)) return { mediaType: 'text/plain', kind: 'annotation' };
  return byExtension(start, extension, path);
}

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
      return { mediaType: 'application/yaml', kind: /^(names|nc|kpt_shape)\s*:/m.test(start) ? 'annotation' : 'other' };
    case 'txt':
      return { mediaType: 'text/plain', kind: isInLabels(path) || isYoloText(start) ? 'annotation' : 'other' };
    default:
      return { mediaType: 'text/plain', kind: 'other' };
  }
}

/** True for the customary names of lists of classes, one a line. */
export const isNamesFile = (path: string): boolean => /(^|\/)(classes\.txt|labels\.txt|obj\.names|_darknet\.labels)$/i.test(path);

const isInLabels = (path: string): boolean => /(^|\/)labels\//i.test(path);

/** Large COCO files begin with their images. */
const isAnnotationJson = (start: string): boolean => /"(annotations|categories|shapes)"\s*:/.test(start) || (/"images"\s*:\s*\[/.test(start) && /"file_name"\s*:/.test(start));

/** Lines of a class number and at least four numbers. An empty label file is an image without objects. */
function isYoloText(text: string): boolean {
  const lines = text
    .split('\n')
    .slice(0, 20)
    .filter((line) => line.trim() !== '');
  return lines.every((line) => /^\s*\d+(\s+(-?\d*\.?\d+(e[-+]?\d+)?|[-+]?(nan|inf(inity)?))){4,}\s*$/i.test(line));
}

/** The head as text, or null when it is not UTF-8 text. A character cut at the end of the head does not count. */
function textOf(head: Uint8Array): string | null {
  if (head.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return null;
  }
}

/**
 * Tables come in other encodings too: UTF-16 tells itself by its mark, and single-byte text is taken for it by its name
 * as long as it holds no control character.
 */
function otherTextOf(head: Uint8Array, extension: string): string | null {
  if (!['csv', 'tsv', 'jsonl', 'ndjson'].includes(extension)) return null;
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le').decode(head.subarray(2));
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be').decode(head.subarray(2));
  return head.some((byte) => byte < 9 || (byte > 13 && byte < 32)) ? null : new TextDecoder('windows-1252').decode(head);
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = name.lastIndexOf('.');
  return at <= 0 ? '' : name.slice(at + 1).toLowerCase();
}
