import type { ParquetType } from 'hyparquet';
import { ENCODING, type PageHead, type PlainPage } from './parquet-pages.js';
import { readRuns, writeRuns } from './parquet-runs.js';

/** Values of one kind in the pages of a column chunk. */
export interface Leaf {
  readonly type: ParquetType;
  /** Bytes of a value of FIXED_LEN_BYTE_ARRAY. */
  readonly typeLength: number;
  /** 0 where every value is a row of its own, or a missing one. */
  readonly maxRepetition: number;
  readonly maxDefinition: number;
}

/** Levels as runs, and the values behind them; null for levels that the column does not have. */
export interface PageParts {
  readonly repetition: Uint8Array | null;
  readonly definition: Uint8Array | null;
  readonly values: Uint8Array;
}

export interface CutPage extends PlainPage {
  /** Entries of the dictionary that the values refer to. */
  readonly entries: number;
  /** How many rows begin in it. */
  readonly rows: number;
}

const SIZES: Partial<Readonly<Record<ParquetType, number>>> = {
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
};
const widthOf = (leaf: Leaf): number | null =>
  leaf.type === 'FIXED_LEN_BYTE_ARRAY' ? leaf.typeLength : (SIZES[leaf.type] ?? null);

const isIndexed = (encoding: number): boolean =>
  encoding === ENCODING.dictionary || encoding === ENCODING.plainDictionary;

/** Whether a page can be cut after some values without knowing the others. */
export const canCut = (page: PageHead, leaf: Leaf): boolean =>
  leaf.maxRepetition === 0 &&
  leaf.maxDefinition < 256 &&
  (page.encoding === ENCODING.plain ||
    isIndexed(page.encoding) ||
    (page.encoding === ENCODING.rle && leaf.type === 'BOOLEAN'));

/** Null when the bytes end before the levels do. @param bytes of a page of version 1, unpacked */
export function partsOf(bytes: Uint8Array, leaf: Leaf): PageParts | null {
  const repetition = leaf.maxRepetition > 0 ? withLength(bytes) : null;
  const afterRepetition = bytes.subarray(repetition === null ? 0 : 4 + repetition.length);
  const definition = leaf.maxDefinition > 0 ? withLength(afterRepetition) : null;
  if ((leaf.maxRepetition > 0 && repetition === null) || (leaf.maxDefinition > 0 && definition === null))
    return null;
  return {
    repetition,
    definition,
    values: afterRepetition.subarray(definition === null ? 0 : 4 + definition.length),
  };
}

/** The page as it is, of version 1; null when the bytes end before its levels do. */
export function wholePage(page: PageHead, parts: PageParts, leaf: Leaf): CutPage | null {
  const { repetition, definition, values } = parts;
  const rows = rowsIn(parts, leaf, page.values);
  if (rows === null) return null;
  const body = [
    ...[repetition, definition].flatMap((levels) => (levels === null ? [] : [uint32(levels.length), levels])),
    values,
  ];
  return {
    type: 'data',
    values: page.values,
    encoding: page.encoding,
    body,
    entries: isIndexed(page.encoding) ? Number.POSITIVE_INFINITY : 0,
    rows,
  };
}

/** How many of the first `count` values begin a row; null when the bytes end before their levels. */
function rowsIn({ repetition }: PageParts, leaf: Leaf, count: number): number | null {
  if (repetition === null) return count;
  const levels = readRuns(repetition, bitsOf(leaf.maxRepetition), count);
  return levels === null ? null : levels.filter((level) => level === 0).length;
}

/** How many of the first `count` values are not missing; null when the bytes end before their levels. */
export function presentOf({ definition }: PageParts, leaf: Leaf, count: number): number | null {
  const levels = definition === null ? null : readRuns(definition, bitsOf(leaf.maxDefinition), count);
  if (definition !== null && levels === null) return null;
  return levels === null
    ? count
    : levels.reduce((present, level) => present + (level === leaf.maxDefinition ? 1 : 0), 0);
}

/** The first `count` values of a page that can be cut; null when the bytes end before them. */
export function cutPage(
  page: PageHead,
  { definition, values }: PageParts,
  leaf: Leaf,
  count: number,
): CutPage | null {
  const levels = definition === null ? null : readRuns(definition, bitsOf(leaf.maxDefinition), count);
  if (definition !== null && levels === null) return null;
  const present = levels === null ? count : levels.filter((level) => level === leaf.maxDefinition).length;
  const cut = cutValues(page.encoding, values, leaf, present);
  if (cut === null) return null;
  const runs = levels === null ? null : writeRuns(levels, 1);
  const body = [...(runs === null ? [] : [uint32(runs.length), runs]), cut.body];
  return { type: 'data', values: count, encoding: page.encoding, body, entries: cut.entries, rows: count };
}

function cutValues(
  encoding: number,
  values: Uint8Array,
  leaf: Leaf,
  present: number,
): { body: Uint8Array; entries: number } | null {
  if (encoding === ENCODING.plain) {
    const end = endOfPlain(values, leaf, present);
    return end === null ? null : { body: values.subarray(0, end), entries: 0 };
  }
  if (encoding === ENCODING.rle) {
    const bits = withLength(values, true);
    const numbers = bits && readRuns(bits, 1, present);
    if (!numbers) return null;
    const runs = writeRuns(numbers, 1);
    return { body: Buffer.concat([uint32(runs.length), runs]), entries: 0 };
  }
  const width = present === 0 ? 0 : values[0];
  const indices = width === undefined ? null : readRuns(values.subarray(1), Math.min(32, width), present);
  if (indices === null) return null;
  return {
    body: Buffer.concat([Buffer.from([32]), writeRuns(indices, 4)]),
    entries: indices.reduce((most, index) => Math.max(most, index + 1), 0),
  };
}

/** The first entries of a dictionary; null when the bytes end before them. */
export function cutDictionary(bytes: Uint8Array, leaf: Leaf, entries: number): PlainPage | null {
  const end = endOfPlain(bytes, leaf, entries);
  return end === null
    ? null
    : { type: 'dictionary', values: entries, encoding: ENCODING.plain, body: [bytes.subarray(0, end)] };
}

/** Where the first `count` values of a plain sequence end; null when the bytes end before. */
function endOfPlain(bytes: Uint8Array, leaf: Leaf, count: number): number | null {
  let end = 0;
  if (leaf.type === 'BOOLEAN') end = Math.ceil(count / 8);
  else if (leaf.type !== 'BYTE_ARRAY') end = count * (widthOf(leaf) ?? 0);
  else {
    for (let n = 0; n < count; n += 1) {
      if (end + 4 > bytes.length) return null;
      end += 4 + readUint32(bytes, end);
    }
  }
  return end > bytes.length ? null : end;
}

/** Bytes behind their own length; null when they are not all there. @param isEnoughInPart takes what is there */
function withLength(bytes: Uint8Array, isEnoughInPart = false): Uint8Array | null {
  if (bytes.length < 4) return null;
  const end = 4 + readUint32(bytes, 0);
  return end > bytes.length && !isEnoughInPart ? null : bytes.subarray(4, end);
}

const readUint32 = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Bits that hold a level. */
const bitsOf = (level: number): number => 32 - Math.clz32(level);
