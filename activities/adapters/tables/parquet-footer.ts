import { type FileMetaData, type ParquetParsers, parquetMetadata, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import { type TableColumn, UnreadableTable } from '../../../core/ports/table-reader.js';
import { MAX_CELL_TEXT } from '../../../core/tables/cell.js';
import type { ByteWindow } from './byte-window.js';

/** First read at the end of the file: most footers are smaller. */
const TAIL_BYTES = 64 * 1024;
/** Larger ones take too much memory as objects: about 50 times their size at worst. */
const MAX_FOOTER_BYTES = 4 * 1024 * 1024;
const MAX_SCHEMA_DEPTH = 32;

/** Values as a sample shows them: texts cut before they are decoded, JSON left as text. */
export const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: (bytes: Uint8Array | undefined) => textOf(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => textOf(bytes),
};

// No character takes more than four bytes, so what is cut here is still longer than what is shown.
function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && new TextDecoder().decode(bytes.subarray(0, 4 * MAX_CELL_TEXT));
}

/** @throws UnreadableTable */
export async function readFooter(window: ByteWindow): Promise<FileMetaData> {
  const size = window.sizeBytes;
  if (size < 12) throw new UnreadableTable('it is too short for a Parquet file');
  const tail = await window.read(Math.max(0, size - TAIL_BYTES), size);
  const mark = tail.toString('latin1', tail.length - 4);
  if (mark === 'PARE') throw new UnreadableTable('its footer is encrypted');
  if (mark !== 'PAR1') throw new UnreadableTable('it does not end as a Parquet file does; it may be cut');
  const length = tail.readUInt32LE(tail.length - 8);
  if (length > size - 12) throw new UnreadableTable('its footer claims to be longer than the file');
  if (length > MAX_FOOTER_BYTES) throw new UnreadableTable(`its footer is larger than ${MAX_FOOTER_BYTES} bytes`);
  try {
    const metadata = parquetMetadata(new Uint8Array(await window.slice(size - length - 8)), { geoparquet: false, parsers: PARSERS });
    checkDepth(metadata.schema);
    return metadata;
  } catch (error) {
    throw error instanceof UnreadableTable ? error : new UnreadableTable('its footer is damaged');
  }
}

/** Before anything walks the schema by recursion. */
function checkDepth(schema: readonly SchemaElement[]): void {
  const open: number[] = [];
  for (const { num_children: children = 0 } of schema) {
    while (open.at(-1) === 0) open.pop();
    if (open.length > 0) open[open.length - 1] = (open.at(-1) as number) - 1;
    if (children > 0) open.push(children);
    if (open.length > MAX_SCHEMA_DEPTH) throw new UnreadableTable(`its columns are nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
  }
}

/** A column of the table with its place in the schema. */
export interface ParquetColumn extends TableColumn {
  /** As the file has it; `name` may differ where two columns are named alike. */
  readonly fileName: string;
  /** Every value is a row of its own. */
  readonly isFlat: boolean;
  /** Bytes without a stated meaning: shown as text where they are one. */
  readonly isRaw: boolean;
}

export const topColumns = (metadata: FileMetaData): Array<Omit<ParquetColumn, 'name'>> =>
  parquetSchema(metadata).children.map((node) => ({
    fileName: node.element.name,
    dtype: dtypeOf(node),
    nullable: node.element.repetition_type !== 'REQUIRED',
    isFlat: node.children.length === 0 && node.element.repetition_type !== 'REPEATED',
    isRaw: dtypeOf(node) === 'binary',
  }));

const PHYSICAL: Readonly<Record<string, string>> = {
  BOOLEAN: 'bool',
  INT32: 'int32',
  INT64: 'int64',
  INT96: 'timestamp',
  FLOAT: 'float32',
  DOUBLE: 'float64',
  BYTE_ARRAY: 'binary',
  FIXED_LEN_BYTE_ARRAY: 'binary',
};
const CONVERTED: Readonly<Record<string, string>> = {
  UTF8: 'string',
  ENUM: 'string',
  JSON: 'json',
  DATE: 'date',
  TIME_MILLIS: 'time',
  TIME_MICROS: 'time',
  TIMESTAMP_MILLIS: 'timestamp',
  TIMESTAMP_MICROS: 'timestamp',
  UINT_8: 'uint8',
  UINT_16: 'uint16',
  UINT_32: 'uint32',
  UINT_64: 'uint64',
  INT_8: 'int8',
  INT_16: 'int16',
};
const LOGICAL: Readonly<Record<string, string>> = {
  STRING: 'string',
  ENUM: 'string',
  JSON: 'json',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  UUID: 'uuid',
  FLOAT16: 'float16',
};

function dtypeOf({ element, children }: SchemaTree): string {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (children.length > 0) return converted === 'LIST' || logical?.type === 'LIST' ? 'list' : converted === 'MAP' || logical?.type === 'MAP' ? 'map' : 'struct';
  if (element.repetition_type === 'REPEATED') return 'list';
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') return `decimal(${element.precision ?? 0},${element.scale ?? 0})`;
  return LOGICAL[logical?.type ?? ''] ?? CONVERTED[converted ?? ''] ?? PHYSICAL[type ?? ''] ?? 'binary';
}
