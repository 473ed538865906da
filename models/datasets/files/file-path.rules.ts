import { fieldError, unprocessable } from '../../../core/errors/app-error.js';

export const MAX_PATH_LENGTH = 512;
/** What file systems allow: staging writes every name as it is. */
const MAX_SEGMENT_BYTES = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Make a name look like another: what names of one line refuse too. */
const TURNING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const SHOWN_LENGTH = 120;

export type PathCheck =
  | { readonly path: string; readonly problem: null }
  | { readonly path: null; readonly problem: string };

const bad = (problem: string): PathCheck => ({ path: null, problem });

/** A name in a message: in quotes, cut, and with the code of what would turn the text around it. */
export const shownName = (name: string): string =>
  JSON.stringify(name.slice(0, SHOWN_LENGTH)).replaceAll(
    new RegExp(TURNING, 'g'),
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * The one form a file's name has inside a dataset: NFC, parted by single `/`, without `.` segments. Names are never keys
 * of the store and never opened as files here; they are checked because staging writes them below a folder.
 */
export function checkFilePath(name: string): PathCheck {
  if (name.length === 0) return bad('the name is empty');
  if (CONTROL.test(name)) return bad('the name holds a control character');
  if (TURNING.test(name))
    return bad('the name holds a character that turns the direction of writing or breaks the line');
  if (/\p{Surrogate}/u.test(name)) return bad('the name is not valid Unicode');
  if (name.includes('\ufffd'))
    return bad('the name has bytes that are not UTF-8, or the character that stands for them');
  if (name.includes('\\'))
    return bad(
      'the name holds a backslash; use / between folders, or pack the archive with a program that does',
    );
  if (name.startsWith('/')) return bad('the name is an absolute path');
  if (name.endsWith('/')) return bad('the name is a folder');
  const segments = name
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return bad('the name leaves the dataset by ".."');
  if (segments.length === 0) return bad('the name is empty');
  if (segments.some((segment) => segment.trim() === ''))
    return bad('a folder or file name is nothing but blanks');
  if (segments.some((segment) => utf8Bytes(segment) > MAX_SEGMENT_BYTES))
    return bad(`a folder or file name is longer than ${MAX_SEGMENT_BYTES} bytes of UTF-8`);
  const path = segments.join('/');
  if (/^[A-Za-z]:(\/|$)/.test(path)) return bad('the name is an absolute path');
  return path.length > MAX_PATH_LENGTH
    ? bad(`the name is longer than ${MAX_PATH_LENGTH} characters`)
    : { path, problem: null };
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** @param loc where the name came from, such as `['body', 'filename']` @throws AppError unprocessable_entity */
export function requireFilePath(name: string, loc: readonly string[]): string {
  const { path, problem } = checkFilePath(name);
  if (path === null)
    throw unprocessable([fieldError(loc, problem)], `This file name cannot be used: ${problem}.`);
  return path;
}

/** Class of an image until the validation settles which folders are classes: its first folder; null at the top. */
export function labelOf(path: string): string | null {
  const at = path.indexOf('/');
  return at < 0 ? null : path.slice(0, at);
}

/** `a/b/c` has the folders `a` and `a/b`: none of them may also be a file. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at));
  return folders;
}

/**
 * A path that others have as a folder; null when there is none. Sorted with a `/` behind each, whatever lies in a folder
 * follows it at once, so that depth costs nothing.
 * @param paths all different
 */
export function findFolderClash(paths: readonly string[]): string | null {
  const keys = paths.map((path) => `${path}/`).sort();
  const at = keys.findIndex((key, place) => keys[place + 1]?.startsWith(key) === true);
  return at < 0 ? null : (keys[at] as string).slice(0, -1);
}
