import { UnreadableTable } from '../../core/ports/table-reader.js';
import { type Cursor, OUT_OF_BYTES, readStruct, writeStruct } from './parquet-thrift.js';

/** Encodings of values, as parquet.thrift numbers them. */
export const ENCODING = { plain: 0, plainDictionary: 2, rle: 3, deltaText: 7, dictionary: 8 } as const;
const KIND = { data: 0, dictionary: 2, dataV2: 3 } as const;

/** The header of a page, as far as it must be known before the page is touched (parquet-format, parquet.thrift: PageHeader). */
export interface PageHead {
  readonly type: 'data' | 'dictionary';
  readonly headBytes: number;
  readonly compressedBytes: number;
  readonly uncompressedBytes: number;
  readonly values: number;
  readonly encoding: number;
  /** Sizes of data pages of version 2, whose levels lie before the compressed values; null for others. */
  readonly v2: {
    readonly repetitionBytes: number;
    readonly definitionBytes: number;
    readonly isCompressed: boolean;
  } | null;
}

/** Field of the header that describes pages of a kind, and the field of the encoding in it. */
const DETAIL: Readonly<Record<number, readonly [field: number, encoding: number]>> = {
  [KIND.data]: [5, 2],
  [KIND.dictionary]: [7, 2],
  [KIND.dataV2]: [8, 4],
};

/** Null when the bytes end before the header does. @throws UnreadableTable when it is none */
export function readPageHead(bytes: Uint8Array): PageHead | null {
  const cursor: Cursor = { bytes, at: 0 };
  try {
    const fields = readStruct(cursor);
    const kind = natural(fields.get(1));
    const [field, encoding] = DETAIL[kind] ?? [-1, -1];
    const detail = fields.get(field);
    if (!(detail instanceof Map)) throw damaged();
    return {
      type: kind === KIND.dictionary ? 'dictionary' : 'data',
      headBytes: cursor.at,
      uncompressedBytes: natural(fields.get(2)),
      compressedBytes: natural(fields.get(3)),
      values: natural(detail.get(1)),
      encoding: natural(detail.get(encoding)),
      v2: kind === KIND.dataV2 ? levelsOf(detail) : null,
    };
  } catch (error) {
    if (error === OUT_OF_BYTES) return null;
    throw damaged();
  }
}

const levelsOf = (detail: Map<number, unknown>): NonNullable<PageHead['v2']> => ({
  definitionBytes: natural(detail.get(5)),
  repetitionBytes: natural(detail.get(6)),
  isCompressed: detail.get(7) !== false,
});

function natural(value: unknown): number {
  if (typeof value !== 'number' || value < 0) throw damaged();
  return value;
}

const damaged = () => new UnreadableTable('a page header is damaged');

/** A page as it is handed to the decoder: not compressed, of version 1. */
export interface PlainPage {
  readonly type: PageHead['type'];
  readonly values: number;
  readonly encoding: number;
  /** In pieces: pages can be large, and are copied once alone. */
  readonly body: readonly Uint8Array[];
}

export const lengthOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, piece) => sum + piece.length, 0);

export function writePage({ type, values, encoding, body }: PlainPage): Uint8Array[] {
  const size = lengthOf(body);
  const head =
    type === 'dictionary'
      ? writeStruct([
          [1, KIND.dictionary],
          [2, size],
          [3, size],
          [
            7,
            writeStruct([
              [1, values],
              [2, encoding],
            ]),
          ],
        ])
      : writeStruct([
          [1, KIND.data],
          [2, size],
          [3, size],
          [
            5,
            writeStruct([
              [1, values],
              [2, encoding],
              [3, ENCODING.rle],
              [4, ENCODING.rle],
            ]),
          ],
        ]);
  return [Buffer.from(head), ...body];
}
