import { EmptyTable, type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { decodeTable } from './decode-table.js';

/** How much of the file is read, in turn, until enough rows are whole. */
export const HEAD_BYTES = [256 * 1024, 4 * 1024 * 1024];

/** What was read of the beginning of a file. */
export interface TextHead {
  readonly text: string;
  readonly isWhole: boolean;
  readonly notes: readonly string[];
}

/** A format of text tables. `T`: what a head is parsed to. */
export interface TextTable<T> {
  parse(head: TextHead): T;
  /** Whether a longer head would show no more. */
  isEnough(found: T): boolean;
  /** @throws UnreadableTable, EmptyTable */
  sample(found: T, head: TextHead): TableSample;
}

/** A small file is read to its end, so that its rows are counted. */
export const isCounted = (head: TextHead): boolean =>
  head.isWhole && head.text.length <= (HEAD_BYTES[0] as number);
export const mostRows = (head: TextHead, enough: number): number =>
  isCounted(head) ? Number.POSITIVE_INFINITY : enough;

export function decodeHead(bytes: Buffer, isWhole: boolean): TextHead {
  const { text, encoding } = decodeTable(bytes);
  const notes = encoding === 'utf-8' ? [] : [`The text was read as ${encoding}.`];
  if (!text.includes('\0')) return { text, isWhole, notes };
  return {
    text: text.replaceAll('\0', '\uFFFD'),
    isWhole,
    notes: [...notes, 'NUL characters are shown as \uFFFD.'],
  };
}

export const tooLong = `Only the first ${HEAD_BYTES.at(-1)} bytes are read: fewer rows than asked for are shown.`;
export const unreadableStart = (head: TextHead): UnreadableTable =>
  head.isWhole
    ? new EmptyTable()
    : new UnreadableTable(`its first row is longer than ${HEAD_BYTES.at(-1)} bytes`);
