import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';

export interface ParquetShape {
  readonly columns: number;
  readonly groups: number;
  readonly groupRows: number;
}

/** A Parquet file of random numbers, one row group after the other. Every group repeats the first, so the bytes are the same each time. */
export class ParquetStream {
  private readonly columnData: Array<{ name: string; data: Float64Array; encoding: 'PLAIN' }>;

  constructor(private readonly shape: ParquetShape) {
    this.columnData = Array.from({ length: shape.columns }, (_, at) => ({
      name: `c${at}`,
      data: new Float64Array(shape.groupRows).map(() => Math.random()),
      encoding: 'PLAIN' as const,
    }));
  }

  /** Bytes of the whole file. */
  async size(): Promise<number> {
    let size = 0;
    await this.write(async (bytes) => {
      size += bytes.length;
    });
    return size;
  }

  /** The file in pieces of this size, the last one smaller. @param take may use the bytes until it resolves */
  async inChunks(chunkBytes: number, take: (index: number, chunk: Buffer) => Promise<void>): Promise<void> {
    const chunk = Buffer.alloc(chunkBytes);
    let [filled, index] = [0, 0];
    await this.write(async (bytes) => {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + chunkBytes - filled);
        chunk.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled < chunkBytes) continue;
        await take(index++, chunk);
        filled = 0;
      }
    });
    if (filled > 0) await take(index, chunk.subarray(0, filled));
  }

  private async write(take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const writer = new ByteWriter(this.shape.columns * this.shape.groupRows * 8 + 1024 * 1024);
    const drain = async () => {
      await take(writer.getBytes());
      writer.index = 0;
    };
    const schema = schemaFromColumnData({ columnData: this.columnData.map((column) => ({ ...column, type: 'DOUBLE' as const })) });
    const file = new ParquetWriter({ writer, schema, codec: 'UNCOMPRESSED', statistics: false });
    for (let group = 0; group < this.shape.groups; group += 1) {
      await file.write({ columnData: this.columnData, rowGroupSize: this.shape.groupRows });
      await drain();
    }
    await file.finish();
    await drain();
  }
}
