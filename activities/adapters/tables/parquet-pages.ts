import { UnreadableTable } from '../../../core/ports/table-reader.js';

/**
 * The header of a Parquet page, as far as it must be known before the page is touched (parquet-format, parquet.thrift:
 * PageHeader), written in Thrift's compact protocol.
 */
export interface PageHead {
  readonly type: 'data' | 'dictionary';
  readonly headBytes: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  readonly values: number;
  /** Encoding.DELTA_BYTE_ARRAY, whose values can be far longer than the page. */
  readonly isDeltaText: boolean;
}

const [T_TRUE, T_FALSE, T_BYTE, T_I16, T_I32, T_I64, T_DOUBLE, T_BINARY, T_LIST, T_SET, T_STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12];
const MAX_DEPTH = 16;
const DELTA_BYTE_ARRAY = 7;
const PAGE_TYPES: Readonly<Record<number, PageHead['type']>> = { 0: 'data', 2: 'dictionary', 3: 'data' };
/** Field of the header that describes pages of a type. */
const DETAIL_FIELD: Readonly<Record<number, number>> = { 0: 5, 2: 7, 3: 8 };

/** Null when the bytes end before the header does. @throws UnreadableTable when it is none */
export function readPageHead(bytes: Uint8Array): PageHead | null {
  const cursor: Cursor = { bytes, at: 0 };
  try {
    const fields = readStruct(cursor, 0);
    const number = (value: unknown): number => {
      if (typeof value !== 'number' || value < 0) throw damaged();
      return value;
    };
    const kind = number(fields.get(1));
    const type = PAGE_TYPES[kind];
    const detail = fields.get(DETAIL_FIELD[kind] ?? -1);
    if (type === undefined || !(detail instanceof Map)) throw damaged();
    return {
      type,
      headBytes: cursor.at,
      uncompressedBytes: number(fields.get(2)),
      compressedBytes: number(fields.get(3)),
      values: number(detail.get(1)),
      isDeltaText: detail.get(kind === 3 ? 4 : 2) === DELTA_BYTE_ARRAY,
    };
  } catch (error) {
    if (error === OUT_OF_BYTES) return null;
    throw error;
  }
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Thrown, never seen outside. */
const OUT_OF_BYTES = new Error('out of bytes');
const damaged = () => new UnreadableTable('a page header is damaged');

function nextByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw OUT_OF_BYTES;
  cursor.at += 1;
  return byte;
}

/** Fields by id: numbers for i16 and i32, a map for a struct, null for what nobody asks for. A field that comes twice is refused. */
function readStruct(cursor: Cursor, depth: number): Map<number, unknown> {
  if (depth > MAX_DEPTH) throw damaged();
  const fields = new Map<number, unknown>();
  for (let id = 0; ; ) {
    const head = nextByte(cursor);
    const type = head & 0x0f;
    if (type === 0) return fields;
    const delta = head >> 4;
    id = delta > 0 ? id + delta : zigzag(readVarint(cursor));
    if (fields.has(id)) throw damaged();
    fields.set(id, readValue(cursor, type, depth));
  }
}

function readValue(cursor: Cursor, type: number, depth: number): unknown {
  switch (type) {
    case T_TRUE:
    case T_FALSE:
      return null;
    case T_I16:
    case T_I32:
      return zigzag(readVarint(cursor));
    case T_STRUCT:
      return readStruct(cursor, depth + 1);
    default:
      return skipValue(cursor, type, depth);
  }
}

function skipValue(cursor: Cursor, type: number, depth: number): null {
  if (type === T_BYTE) cursor.at += 1;
  else if (type === T_I64) readVarint(cursor, 10);
  else if (type === T_DOUBLE) cursor.at += 8;
  else if (type === T_BINARY) cursor.at += readVarint(cursor);
  else if (type === T_LIST || type === T_SET) skipList(cursor, depth);
  else throw damaged();
  if (cursor.at > cursor.bytes.length) throw OUT_OF_BYTES;
  return null;
}

function skipList(cursor: Cursor, depth: number): void {
  const head = nextByte(cursor);
  const length = head >> 4 === 15 ? readVarint(cursor) : head >> 4;
  const type = head & 0x0f;
  for (let n = 0; n < length; n += 1) {
    if (type === T_TRUE || type === T_FALSE) nextByte(cursor);
    else readValue(cursor, type, depth + 1);
  }
}

/** Unsigned, of at most 32 bits unless more bytes are allowed, whose value then does not count. */
function readVarint(cursor: Cursor, maxBytes = 5): number {
  let value = 0;
  for (let n = 0; n < maxBytes; n += 1) {
    const byte = nextByte(cursor);
    value = (value | ((byte & 0x7f) << (7 * n))) >>> 0;
    if (byte < 0x80) return value;
  }
  throw damaged();
}

const zigzag = (value: number): number => (value >>> 1) ^ -(value & 1);
