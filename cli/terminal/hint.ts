import { relative, resolve } from 'node:path';

/** Pure: a word as a POSIX shell reads it back. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Pure: the flags that name this data directory, empty for the default one. They work from the folder of the clone. */
export function dataDirFlags(dataDir: string, cwd: string = process.cwd()): string {
  if (dataDir === resolve(cwd, '.data')) return '';
  const short = relative(cwd, dataDir);
  return ` --data-dir ${shellWord(short.startsWith('..') ? dataDir : short)}`;
}

/** The command to be typed for this data directory. @param words empty for a start */
export function hint(words: string, dataDir: string, cwd: string = process.cwd()): string {
  const rest = `${words === '' ? '' : ` ${words}`}${dataDirFlags(dataDir, cwd)}`;
  return rest === '' ? 'npm start' : `npm start --${rest}`;
}
