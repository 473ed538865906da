import type { ColumnChunk, ColumnMetaData, CompressionCodec } from 'hyparquet';
import { BeyondReader, UnreadableTable } from '../../core/ports/table-reader.js';
import type { ByteWindow, Span } from './byte-window.js';
import { isCuttable, unpack } from './parquet-codecs.js';
import {
  type CutPage,
  canCut,
  cutDictionary,
  cutPage,
  type Leaf,
  type PageParts,
  partsOf,
  presentOf,
  wholePage,
} from './parquet-cut.js';
import { plainTexts } from '../library-patches/parquet-delta.js';
import { ENCODING, type PageHead, type PlainPage, readPageHead, writePage } from './parquet-pages.js';

/** Bytes of a page to read, growing until they hold the wanted values. The last is the maximum of one page. */
const STEPS = [16 * 1024, 160 * 1024, 2 * 1024 * 1024, 32 * 1024 * 1024] as const;
const MAX_PAGE_BYTES = STEPS[3];
/** Maximum growth of a page by unpacking, as a multiple of the bytes read, where the codec can stop. */
const MOST_UNPACKED = 8;
const MAX_HEAD_BYTES = STEPS[2];
const MAX_PAGE_VALUES = 1024 * 1024;
/** Minimum number of values that a page counts for, so that reading empty pages ends. */
const LEAST_VALUES = 64;

/** Limit of the values in lists, for each wanted row. */
const VALUES_PER_ROW = 1024;

/** What may be unpacked for one sample, all columns together. */
export class DecodeBudget {
  private bytes = 96 * 1024 * 1024;
  private values = 8 * 1024 * 1024;

  /** Takes nothing where it does not suffice, so that columns under way, and small ones, can end. */
  take(bytes: number, values: number): void {
    if (bytes > this.bytes || values > this.values)
      throw new BeyondReader('too much would have to be unpacked');
    this.bytes -= bytes;
    this.values -= values;
  }

  /** Takes what may come out before it is unpacked, and keeps what did. */
  unpack(most: number, work: () => Uint8Array): Uint8Array {
    this.take(most, 0);
    const unpacked = work();
    this.bytes += most - unpacked.length;
    return unpacked;
  }

  /** Gives back what an attempt took that found too little. */
  attempt<T>(work: () => T | null): T | null {
    const { bytes } = this;
    const found = work();
    if (found === null) this.bytes = bytes;
    return found;
  }
}

/** What is read of a column chunk in any case, its dictionary and its first page. */
export function firstSpans({ meta_data: meta }: ColumnChunk): Span[] {
  if (!meta) return [];
  const start = startOf(meta);
  const end = start + Number(meta.total_compressed_size);
  return [start, Number(meta.data_page_offset)].map((at) => ({
    start: at,
    end: Math.min(at + STEPS[0], end),
  }));
}

const startOf = (meta: ColumnMetaData): number =>
  Number(meta.dictionary_page_offset || meta.data_page_offset);

/** The first pages of a column chunk with little more than the wanted rows in them, for a decoder that believes what it reads. */
export interface ChunkHead {
  readonly dictionary: readonly Uint8Array[];
  readonly data: readonly Uint8Array[];
  readonly values: number;
  /** The chunk has more pages. */
  readonly isCut: boolean;
}

interface Chunk {
  readonly window: ByteWindow;
  readonly codec: CompressionCodec;
  readonly leaf: Leaf;
  readonly budget: DecodeBudget;
}

/**
 * Reads of a column chunk what the wanted rows need: of each page its header, and of its bytes the first, step by step,
 * where the page can be cut.
 * @throws UnreadableTable
 */
export async function readChunkHead(
  window: ByteWindow,
  column: ColumnChunk,
  leaf: Leaf,
  wantedRows: number,
  budget: DecodeBudget,
): Promise<ChunkHead> {
  const meta = column.meta_data;
  if (!meta || column.file_path)
    throw new UnreadableTable(meta ? 'its bytes lie in another file' : 'it is encrypted');
  const start = startOf(meta);
  const end = start + Number(meta.total_compressed_size);
  if (!(end >= start)) throw new UnreadableTable('its sizes are damaged');
  const chunk: Chunk = { window, codec: meta.codec, leaf, budget };
  const pages: CutPage[] = [];
  let dictionary: PageAt | null = null;
  let [at, values, rows] = [start, 0, 0];
  // A row with lists is known to be whole where the next one begins.
  const [mostRows, mostValues] =
    leaf.maxRepetition > 0 ? [wantedRows + 1, wantedRows * VALUES_PER_ROW] : [wantedRows, wantedRows];
  while (at < end - 1 && rows < mostRows && values < mostValues) {
    const page: PageAt = await pageAt(window, at, end);
    budget.take(0, LEAST_VALUES);
    if (page.end > end) throw new UnreadableTable('a page is longer than its column');
    if (page.head.type === 'dictionary') dictionary = page;
    else {
      const cut = await readDataPage(chunk, page, mostValues - values);
      budget.take(0, cut.values);
      pages.push(cut);
      values += cut.values;
      rows += cut.rows;
    }
    at = page.end;
  }
  const entries = pages.reduce((most, page) => Math.max(most, page.entries), 0);
  const written =
    entries > 0 && dictionary ? writePage(await readDictionary(chunk, dictionary, entries)) : [];
  return { dictionary: written, data: pages.flatMap(writePage), values, isCut: at < end - 1 };
}

interface PageAt {
  readonly head: PageHead;
  /** Offsets of the header, of the bytes behind it, and of what follows the page. */
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

async function pageAt(window: ByteWindow, at: number, end: number): Promise<PageAt> {
  for (const bytes of STEPS.filter((step) => step <= MAX_HEAD_BYTES)) {
    const head = readPageHead(await window.read(at, Math.min(at + bytes, end)));
    if (head !== null)
      return { head, start: at, body: at + head.headBytes, end: at + head.headBytes + head.compressedBytes };
  }
  throw new UnreadableTable('a page header is damaged');
}

async function readDataPage(chunk: Chunk, page: PageAt, wanted: number): Promise<CutPage> {
  const { head } = page;
  const { leaf } = chunk;
  if (canCut(head, leaf)) {
    const count = Math.min(head.values, wanted);
    return growing(chunk, page, (bytes, most) => {
      const parts = partsAt(chunk, head, bytes, most);
      return parts && cutPage(head, parts, leaf, count);
    });
  }
  checkWhole(head);
  const parts = partsAt(chunk, head, await chunk.window.read(page.body, page.end), head.uncompressedBytes);
  const found =
    parts &&
    (head.encoding === ENCODING.deltaText
      ? unfoldPage(chunk, head, parts, wanted)
      : wholePage(head, parts, leaf));
  if (found === null) throw new UnreadableTable('a page ends before its values');
  return found;
}

/** The page with its texts written in full, and no more of them than are wanted where it can be cut. */
function unfoldPage(
  { leaf, budget }: Chunk,
  page: PageHead,
  parts: PageParts,
  wanted: number,
): CutPage | null {
  const head: PageHead = { ...page, encoding: ENCODING.plain };
  const count = canCut(head, leaf) ? Math.min(head.values, wanted) : head.values;
  const [total, present] = [presentOf(parts, leaf, head.values), presentOf(parts, leaf, count)];
  if (total === null || present === null) return null;
  const fixedBytes = leaf.type === 'FIXED_LEN_BYTE_ARRAY' ? leaf.typeLength : null;
  const values = plainTexts(
    parts.values,
    { total, wanted: present, fixedBytes, maxBytes: MAX_PAGE_BYTES },
    (bytes) => budget.take(bytes, 0),
  );
  return canCut(head, leaf)
    ? cutPage(head, { ...parts, values }, leaf, count)
    : wholePage(head, { ...parts, values }, leaf);
}

/** Levels and values from the stored bytes of a page or their beginning. */
function partsAt(chunk: Chunk, head: PageHead, bytes: Uint8Array, most: number): PageParts | null {
  const { leaf } = chunk;
  if (head.v2 === null) return partsOf(unpackTaken(chunk, bytes, head.uncompressedBytes, most), leaf);
  const { repetitionBytes, definitionBytes, isCompressed } = head.v2;
  const levels = repetitionBytes + definitionBytes;
  if (levels > bytes.length) return null;
  const stored = bytes.subarray(levels);
  return {
    repetition: leaf.maxRepetition > 0 ? bytes.subarray(0, repetitionBytes) : null,
    definition: leaf.maxDefinition > 0 ? bytes.subarray(repetitionBytes, levels) : null,
    values: isCompressed
      ? unpackTaken(chunk, stored, Math.max(0, head.uncompressedBytes - levels), most)
      : stored,
  };
}

async function readDictionary(chunk: Chunk, page: PageAt, entries: number): Promise<PlainPage> {
  const count = Math.min(entries, page.head.values);
  chunk.budget.take(0, count);
  if (count < entries && Number.isFinite(entries))
    throw new UnreadableTable('a value is missing in its dictionary');
  return growing(chunk, page, (bytes, most) =>
    cutDictionary(unpackTaken(chunk, bytes, page.head.uncompressedBytes, most), chunk.leaf, count),
  );
}

/** Reads more of a page until `parse` has enough; at once all of it where the codec knows no beginnings. */
async function growing<T>(
  chunk: Chunk,
  page: PageAt,
  parse: (bytes: Uint8Array, most: number) => T | null,
): Promise<T> {
  const { compressedBytes, uncompressedBytes } = page.head;
  const isLarge = uncompressedBytes > MAX_PAGE_BYTES || compressedBytes > MAX_PAGE_BYTES;
  if (isLarge && !isCuttable(chunk.codec)) throw tooLarge();
  for (const step of isCuttable(chunk.codec) ? STEPS : [MAX_PAGE_BYTES + page.head.headBytes]) {
    const until = Math.min(page.start + step, page.end);
    // The header alone may be as long as a step.
    const bytes = (await chunk.window.read(page.start, until)).subarray(page.body - page.start);
    const most = MOST_UNPACKED * step;
    // Snappy unpacks as much as is asked for; other codecs may unpack all of it, which counts.
    const found =
      chunk.codec === 'SNAPPY' ? chunk.budget.attempt(() => parse(bytes, most)) : parse(bytes, most);
    if (found !== null) return found;
    if (until === page.end && most >= uncompressedBytes) break;
  }
  throw isLarge ? tooLarge() : new UnreadableTable('a page holds fewer values than its header states');
}

const tooLarge = (): UnreadableTable => new BeyondReader(`a page is larger than ${MAX_PAGE_BYTES} bytes`);

function unpackTaken({ codec, budget }: Chunk, bytes: Uint8Array, size: number, most: number): Uint8Array {
  if (codec === 'UNCOMPRESSED') return bytes;
  const whole = Math.min(size, MAX_PAGE_BYTES);
  return budget.unpack(codec === 'SNAPPY' ? Math.min(whole, most) : whole, () =>
    unpack(codec, bytes, whole, most),
  );
}

/** Limits the pages that have to be read whole. */
function checkWhole({ values, uncompressedBytes, compressedBytes }: PageHead): void {
  if (uncompressedBytes > MAX_PAGE_BYTES || compressedBytes > MAX_PAGE_BYTES) throw tooLarge();
  if (values > MAX_PAGE_VALUES) throw new BeyondReader(`a page has more than ${MAX_PAGE_VALUES} values`);
}
