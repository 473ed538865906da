import { badRequest } from '../../../core/errors/app-error.js';
import { manifestHead } from './manifest.rules.js';
import type { ManifestFile } from './manifest.types.js';

/** Bytes of a manifest read for one page. Few lines are longer: those of annotation files with thousands of names. */
export const MANIFEST_WINDOW_BYTES = 512 * 1024;
/** Longer than any line: ten thousand names of classes take a fifth of it. */
export const MAX_MANIFEST_WINDOW_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;
const NOT_A_CURSOR = 'The cursor is none that an earlier page named.';

/** Where the first file of every manifest stands: behind a head of known length. */
export const MANIFEST_START = Buffer.byteLength(manifestHead('0'.repeat(64)));

export interface ManifestPage {
  readonly files: readonly ManifestFile[];
  /** Offset of the file after the page; null behind the last one. */
  readonly next: number | null;
}

/** True where the first file of a window goes on behind its end: a larger window is to be read. */
export const isCutLine = (window: Buffer): boolean =>
  window[0] === NEWLINE && window[1] === 0x7b && window.indexOf(NEWLINE, 1) < 0;

/**
 * The files of a manifest that stand at an offset, one a line. Text of people is escaped in a manifest, so a newline is
 * always the end of a line, and what begins behind one is a file of this manifest.
 * @param window the bytes from one before `offset` on, at most MANIFEST_WINDOW_BYTES
 * @throws AppError bad_request when no file begins at the offset
 */
export function readManifestPage(window: Buffer, offset: number, limit: number): ManifestPage {
  if (window[0] !== NEWLINE) throw badRequest(NOT_A_CURSOR);
  const files: ManifestFile[] = [];
  let at = 1;
  while (files.length < limit) {
    const end = window.indexOf(NEWLINE, at);
    if (end < 0) break;
    const line = window.toString('utf8', at, end);
    if (!line.startsWith('{')) break;
    const isLast = !line.endsWith(',');
    files.push(JSON.parse(isLast ? line : line.slice(0, -1)) as ManifestFile);
    if (isLast) return { files, next: null };
    at = end + 1;
  }
  if (files.length === 0) throw badRequest(NOT_A_CURSOR);
  return { files, next: offset + at - 1 };
}
