import { type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet';
import { UnreadableTable } from '../../core/ports/table-reader.js';
import type { ByteWindow } from './byte-window.js';
import { PARSERS } from './parquet-values.js';
import {
  type Cursor,
  isStructList,
  nextField,
  OUT_OF_BYTES,
  readListHead,
  skipValue,
  structListHead,
} from './parquet-thrift.js';

/** First read at the end of the file: most footers are smaller. */
const TAIL_BYTES = 64 * 1024;
/** Bytes of a footer's beginning to read, growing until they hold enough row groups. */
const HEAD_BYTES = [256 * 1024, 2 * 1024 * 1024, 16 * 1024 * 1024] as const;
/** More row groups than the first are taken up to this size, for as objects they need many times the memory. */
const GROUPS_BYTES = 4 * 1024 * 1024;
const MAX_SCHEMA_DEPTH = 32;
/** Field of FileMetaData, which stands behind the schema and the number of rows (parquet-format, parquet.thrift). */
const ROW_GROUPS = 4;

/**
 * The schema and the first row groups, however many the file has and however long its footer is.
 * @throws UnreadableTable
 */
export async function readFooter(window: ByteWindow, mostGroups: number): Promise<FileMetaData> {
  const size = window.sizeBytes;
  if (size < 12) throw new UnreadableTable('it is too short for a Parquet file');
  const tail = await window.read(Math.max(0, size - TAIL_BYTES), size);
  const mark = tail.toString('latin1', tail.length - 4);
  if (mark === 'PARE') throw new UnreadableTable('its footer is encrypted');
  if (mark !== 'PAR1') throw new UnreadableTable('it does not end as a Parquet file does; it may be cut');
  const length = tail.readUInt32LE(tail.length - 8);
  if (length > size - 12) throw new UnreadableTable('its footer claims to be longer than the file');
  const start = size - 8 - length;
  for (const step of HEAD_BYTES) {
    const bytes = await window.read(start, start + Math.min(step, length));
    const isLast = bytes.length === length || step === HEAD_BYTES.at(-1);
    const head = readable(() => footerHead(bytes, mostGroups, isLast));
    if (head !== null) return readable(() => parse(head));
    if (bytes.length === length) throw damaged();
  }
  throw new UnreadableTable(
    `its footer describes the columns and the first rows in more than ${HEAD_BYTES.at(-1)} bytes`,
  );
}

/**
 * A footer of the first row groups alone. Null when the bytes end before them.
 * @param isEnoughInPart takes fewer row groups, but at least one
 */
function footerHead(bytes: Uint8Array, mostGroups: number, isEnoughInPart: boolean): Buffer | null {
  const cursor: Cursor = { bytes, at: 0 };
  /** Where the list's length stands, where its items begin, where each of them ends. */
  const ends: number[] = [];
  let [listAt, itemsAt] = [0, 0];
  try {
    let field = nextField(cursor, 0);
    for (; field !== null && field.id !== ROW_GROUPS; field = nextField(cursor, field.id))
      skipValue(cursor, field.type);
    if (field === null || !isStructList(field)) throw damaged();
    listAt = cursor.at;
    const { length, type } = readListHead(cursor);
    itemsAt = cursor.at;
    while (ends.length < Math.min(length, mostGroups) && cursor.at - itemsAt < GROUPS_BYTES) {
      skipValue(cursor, type);
      ends.push(cursor.at);
    }
  } catch (error) {
    if (error !== OUT_OF_BYTES) throw error;
    if (!isEnoughInPart || ends.length === 0) return null;
  }
  const end = ends.at(-1) ?? itemsAt;
  return Buffer.concat([
    bytes.subarray(0, listAt),
    Buffer.from(structListHead(ends.length)),
    bytes.subarray(itemsAt, end),
    Buffer.from([0]),
  ]);
}

function parse(footer: Buffer): FileMetaData {
  const end = Buffer.from('\0\0\0\0PAR1', 'latin1');
  end.writeUInt32LE(footer.length);
  const metadata = parquetMetadata(new Uint8Array(Buffer.concat([footer, end])).buffer, {
    geoparquet: false,
    parsers: PARSERS,
  });
  checkDepth(metadata.schema);
  return metadata;
}

function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnreadableTable ? error : damaged();
  }
}

const damaged = (): UnreadableTable => new UnreadableTable('its footer is damaged');

/** Before anything walks the schema by recursion. */
function checkDepth(schema: readonly SchemaElement[]): void {
  const open: number[] = [];
  for (const { num_children: children = 0 } of schema) {
    while (open.at(-1) === 0) open.pop();
    if (open.length > 0) open[open.length - 1] = (open.at(-1) as number) - 1;
    if (children > 0) open.push(children);
    if (open.length > MAX_SCHEMA_DEPTH)
      throw new UnreadableTable(`its columns are nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  }
}
