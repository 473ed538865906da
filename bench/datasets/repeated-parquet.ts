import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

/**
 * A table as measuring stations write it: floats, some of them missing, integers, times, names that repeat and names that
 * do not, compressed with Snappy in pages of about 1 MiB. Its row groups are one row group again and again, written once,
 * so that a file of many gigabytes costs no more to make than its first megabytes.
 */
export class RepeatedParquet {
  readonly sizeBytes: number;
  readonly rows: number;

  private constructor(
    readonly columns: number,
    private readonly group: Buffer,
    readonly groups: number,
    private readonly footer: Buffer,
    groupRows: number,
  ) {
    this.sizeBytes = MAGIC.length + group.length * groups + footer.length;
    this.rows = groupRows * groups;
  }

  get footerBytes(): number {
    return this.footer.length;
  }

  /** @param leastBytes of the file */
  static make(leastBytes: number, groupRows: number): RepeatedParquet {
    const columnData = mixedColumns(groupRows);
    const writer = new ByteWriter();
    const file = new ParquetWriter({ writer, schema: schemaFromColumnData({ columnData }), codec: 'SNAPPY' });
    file.write({ columnData, rowGroupSize: groupRows });
    const group = Buffer.from(writer.getBytes().slice(MAGIC.length));
    const groups = Math.ceil(leastBytes / group.length);
    writer.index = 0;
    const [first] = file.row_groups;
    if (first === undefined) throw new Error('a row group was not written');
    file.row_groups = Array.from({ length: groups }, (_, at) => shifted(first, BigInt(at * group.length)));
    file.num_rows = BigInt(groups * groupRows);
    file.finish();
    return new RepeatedParquet(
      columnData.length,
      group,
      groups,
      Buffer.from(writer.getBytes().slice()),
      groupRows,
    );
  }

  /** The bytes `[start, end)` of the file. */
  slice(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.min(end, this.sizeBytes) - start);
    const footerAt = this.sizeBytes - this.footer.length;
    for (let filled = 0; filled < bytes.length; ) {
      const at = start + filled;
      if (at < MAGIC.length) filled += MAGIC.copy(bytes, filled, at);
      else if (at < footerAt)
        filled += this.group.copy(bytes, filled, (at - MAGIC.length) % this.group.length);
      else filled += this.footer.copy(bytes, filled, at - footerAt);
    }
    return bytes;
  }
}

const MAGIC = Buffer.from('PAR1');

type RowGroup = ParquetWriter['row_groups'][number];

const shifted = (group: RowGroup, by: bigint): RowGroup => ({
  ...group,
  columns: group.columns.map((chunk) => ({
    ...chunk,
    meta_data: chunk.meta_data && {
      ...chunk.meta_data,
      data_page_offset: chunk.meta_data.data_page_offset + by,
      ...(chunk.meta_data.dictionary_page_offset === undefined
        ? {}
        : { dictionary_page_offset: chunk.meta_data.dictionary_page_offset + by }),
    },
  })),
});

type Column = Parameters<ParquetWriter['write']>[0]['columnData'][number];

function mixedColumns(rows: number): Column[] {
  const some = (
    count: number,
    name: string,
    make: (at: number) => Omit<Column, 'name' | 'offsetIndex'>,
  ): Column[] =>
    Array.from({ length: count }, (_, at) => ({ name: `${name}_${at}`, offsetIndex: false, ...make(at) }));
  const list = <T>(value: (row: number) => T): T[] => Array.from({ length: rows }, (_, row) => value(row));
  const wave = (at: number) => (row: number) => Math.sin(row * (at + 1.7)) * 1000;
  return [
    ...some(2, 'id', (at) => ({
      type: 'STRING',
      encoding: 'PLAIN',
      data: list((row) => `station-${at}-${row}`),
    })),
    ...some(24, 'value', (at) => ({
      type: 'DOUBLE',
      nullable: false,
      encoding: 'PLAIN',
      data: Float64Array.from({ length: rows }, (_, row) => wave(at)(row)),
    })),
    ...some(8, 'sparse', (at) => ({
      type: 'DOUBLE',
      encoding: 'PLAIN',
      data: list((row) => (row % 5 === at % 5 ? null : wave(at)(row))),
    })),
    ...some(10, 'count', (at) => ({
      type: 'INT32',
      encoding: 'PLAIN',
      data: Int32Array.from({ length: rows }, (_, row) => (row * 7919 * (at + 1)) % 1_000_003),
    })),
    ...some(12, 'name', (at) => ({
      type: 'STRING',
      encoding: 'RLE_DICTIONARY',
      data: list((row) => `place ${(row * 31) % (10 * 2 ** (at % 9))}`),
    })),
    ...some(2, 'seen', () => ({
      type: 'TIMESTAMP',
      encoding: 'PLAIN',
      data: list((row) => new Date(1_780_000_000_000 + row * 1000)),
    })),
    ...some(2, 'valid', (at) => ({ type: 'BOOLEAN', data: list((row) => row % (at + 3) === 0) })),
  ];
}
