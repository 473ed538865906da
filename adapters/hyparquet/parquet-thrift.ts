/**
 * Thrift's compact protocol, in which Parquet writes its footer and the headers of its pages, read without trust: depth
 * and lengths are bounded, and bytes that end too early are distinguished from bytes that are damaged.
 */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Thrown where the bytes end before the value does. */
export const OUT_OF_BYTES = new Error('out of bytes');

const [T_TRUE, T_FALSE, T_BYTE, T_I16, T_I32, T_I64, T_DOUBLE, T_BINARY, T_LIST, T_SET, T_STRUCT] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12,
];
const MAX_DEPTH = 16;
const damaged = () => new RangeError('no value of the compact protocol');

function nextByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw OUT_OF_BYTES;
  cursor.at += 1;
  return byte;
}

/** Unsigned, of at most 32 bits unless more bytes are allowed, whose value then does not count. */
export function readVarint(cursor: Cursor, maxBytes = 5): number {
  let value = 0;
  for (let n = 0; n < maxBytes; n += 1) {
    const byte = nextByte(cursor);
    value = (value | ((byte & 0x7f) << (7 * n))) >>> 0;
    if (byte < 0x80) return value;
  }
  throw damaged();
}

const zigzag = (value: number): number => (value >>> 1) ^ -(value & 1);

export interface FieldHead {
  readonly id: number;
  readonly type: number;
}

/** Null at the end of the struct. @param lastId of the field before; 0 at the beginning */
export function nextField(cursor: Cursor, lastId: number): FieldHead | null {
  const head = nextByte(cursor);
  const type = head & 0x0f;
  if (type === 0) return null;
  const delta = head >> 4;
  return { id: delta > 0 ? lastId + delta : zigzag(readVarint(cursor)), type };
}

/** Fields by id: numbers for i16 and i32, booleans, a map for a struct, null for what nobody asks for. A field that comes twice is refused. */
export function readStruct(cursor: Cursor, depth = 0): Map<number, unknown> {
  if (depth > MAX_DEPTH) throw damaged();
  const fields = new Map<number, unknown>();
  for (let field = nextField(cursor, 0); field !== null; field = nextField(cursor, field.id)) {
    if (fields.has(field.id)) throw damaged();
    fields.set(field.id, readValue(cursor, field.type, depth));
  }
  return fields;
}

function readValue(cursor: Cursor, type: number, depth: number): unknown {
  switch (type) {
    case T_TRUE:
    case T_FALSE:
      return type === T_TRUE;
    case T_I16:
    case T_I32:
      return zigzag(readVarint(cursor));
    case T_STRUCT:
      return readStruct(cursor, depth + 1);
    default:
      return skipValue(cursor, type, depth);
  }
}

/** Passes over a value of a field. */
export function skipValue(cursor: Cursor, type: number, depth = 0): null {
  if (type === T_BYTE) cursor.at += 1;
  else if (type === T_I16 || type === T_I32) readVarint(cursor);
  else if (type === T_I64) readVarint(cursor, 10);
  else if (type === T_DOUBLE) cursor.at += 8;
  else if (type === T_BINARY) {
    const length = readVarint(cursor);
    cursor.at += length;
  } else if (type === T_LIST || type === T_SET) skipList(cursor, depth);
  else if (type === T_STRUCT) skipStruct(cursor, depth + 1);
  else if (type !== T_TRUE && type !== T_FALSE) throw damaged();
  if (cursor.at > cursor.bytes.length) throw OUT_OF_BYTES;
  return null;
}

function skipStruct(cursor: Cursor, depth: number): void {
  if (depth > MAX_DEPTH) throw damaged();
  for (let field = nextField(cursor, 0); field !== null; field = nextField(cursor, field.id))
    skipValue(cursor, field.type, depth);
}

export interface ListHead {
  readonly length: number;
  readonly type: number;
}

export function readListHead(cursor: Cursor): ListHead {
  const head = nextByte(cursor);
  return { length: head >> 4 === 15 ? readVarint(cursor) : head >> 4, type: head & 0x0f };
}

function skipList(cursor: Cursor, depth: number): void {
  const { length, type } = readListHead(cursor);
  for (let n = 0; n < length; n += 1) {
    if (type === T_TRUE || type === T_FALSE) nextByte(cursor);
    else skipValue(cursor, type, depth);
  }
}

/** What `readListHead` reads, for lists of structs. */
export const structListHead = (length: number): number[] =>
  length < 15 ? [(length << 4) | T_STRUCT] : [0xf0 | T_STRUCT, ...varint(length)];

export const isStructList = (field: FieldHead): boolean => field.type === T_LIST;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** A struct of i32 fields and structs of such, by rising ids that lie less than 16 apart. Numbers are not negative. */
export function writeStruct(
  fields: ReadonlyArray<readonly [id: number, value: number | number[]]>,
): number[] {
  const bytes: number[] = [];
  let lastId = 0;
  for (const [id, value] of fields) {
    const type = typeof value === 'number' ? T_I32 : T_STRUCT;
    bytes.push(
      ((id - lastId) << 4) | (type as number),
      ...(typeof value === 'number' ? varint(value * 2) : value),
    );
    lastId = id;
  }
  return [...bytes, 0];
}
