import {
  type FileMetaData,
  type ParquetParsers,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import type { TableColumn } from '../../core/ports/table-reader.js';
import type { Leaf } from './parquet-cut.js';
import { isDecimal, parsersOf, precisionAndScale, rendererOf } from './parquet-values.js';

/** A column of the table with its place in the file. */
export interface ParquetColumn extends TableColumn {
  /** As the file has it; `name` may differ where two columns are named alike. */
  readonly fileName: string;
  /** A schema of this column alone. */
  readonly schema: SchemaElement[];
  /** Leaves that hold its values, in the order of a row group's chunks. */
  readonly leaves: ReadonlyArray<Omit<Leaf, 'type'>>;
  /** Chunks of a row group before its first. */
  readonly firstChunk: number;
  /** A row may have many values. */
  readonly isRepeated: boolean;
  readonly parsers: Partial<ParquetParsers>;
  /** How a value is shown; null: as it is decoded. */
  readonly render: ((value: unknown) => unknown) | null;
  /** Decimals within nested values, which are decoded as numbers. */
  readonly hasRoundedDecimals: boolean;
}

export function topColumns(metadata: FileMetaData): Array<Omit<ParquetColumn, 'name'>> {
  const root = metadata.schema[0] as SchemaElement;
  let [firstElement, firstChunk] = [1, 0];
  return parquetSchema(metadata).children.map((node) => {
    const leaves = leavesOf(node, { maxRepetition: 0, maxDefinition: 0 });
    const elements = metadata.schema.slice(firstElement, firstElement + node.count).map(dated);
    const isNested = node.children.length > 0;
    const dtype = dtypeOf(node);
    const column = {
      fileName: node.element.name,
      dtype,
      nullable: node.element.repetition_type !== 'REQUIRED',
      schema: [{ ...root, num_children: 1 }, ...(isNested ? elements : elements.map(unscaled))],
      leaves,
      firstChunk,
      isRepeated: leaves.some((leaf) => leaf.maxRepetition > 0),
      parsers: parsersOf(elements),
      render: isNested ? null : rendererOf(node.element, dtype),
      hasRoundedDecimals: isNested && elements.some(isDecimal),
    };
    firstElement += node.count;
    firstChunk += leaves.length;
    return column;
  });
}

/** Decimals as the integers or bytes they are stored as, which keeps all digits. */
const unscaled = (element: SchemaElement): SchemaElement =>
  isDecimal(element) ? { ...element, converted_type: undefined, logical_type: undefined } : element;

/** Dates that only their logical type shows, which is not decoded. */
const dated = (element: SchemaElement): SchemaElement =>
  element.logical_type?.type === 'DATE' ? { ...element, converted_type: 'DATE' } : element;

function leavesOf(
  { element, children }: SchemaTree,
  above: { maxRepetition: number; maxDefinition: number },
): Array<Omit<Leaf, 'type'>> {
  const maxRepetition = above.maxRepetition + (element.repetition_type === 'REPEATED' ? 1 : 0);
  const maxDefinition = above.maxDefinition + (element.repetition_type === 'REQUIRED' ? 0 : 1);
  if (children.length === 0) return [{ maxRepetition, maxDefinition, typeLength: element.type_length ?? 0 }];
  return children.flatMap((child) => leavesOf(child, { maxRepetition, maxDefinition }));
}

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
  if (children.length > 0)
    return converted === 'LIST' || logical?.type === 'LIST'
      ? 'list'
      : converted === 'MAP' || logical?.type === 'MAP'
        ? 'map'
        : 'struct';
  if (element.repetition_type === 'REPEATED') return 'list';
  if (isDecimal(element)) {
    const { precision, scale } = precisionAndScale(element);
    return `decimal(${precision},${scale})`;
  }
  return LOGICAL[logical?.type ?? ''] ?? CONVERTED[converted ?? ''] ?? PHYSICAL[type ?? ''] ?? 'binary';
}
