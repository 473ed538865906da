import type { ColumnChunk, ColumnMetaData } from 'hyparquet';
import { UnreadableTable } from '../../../core/ports/table-reader.js';
import type { ByteWindow } from './byte-window.js';
import { type PageHead, readPageHead } from './parquet-pages.js';

const HEAD_BYTES = [128 * 1024, 1024 * 1024];
const MAX_PAGE_BYTES = 32 * 1024 * 1024;
const MAX_PAGE_VALUES = 1024 * 1024;
/** A text may be built from the one before it, so such a page can hold far more than its bytes. */
const MAX_DELTA_TEXT_BYTES = 256 * 1024 * 1024;

/** What may be unpacked for one sample, all columns together. */
export class DecodeBudget {
  private bytes = 96 * 1024 * 1024;
  private values = 8 * 1024 * 1024;

  take(page: PageHead): void {
    this.bytes -= page.uncompressedBytes;
    this.values -= page.values;
    if (this.bytes < 0 || this.values < 0) throw new UnreadableTable('too much would have to be unpacked');
  }
}

/**
 * The beginning of a column chunk that holds the wanted values, as metadata of a shorter chunk: a reader that believes it
 * reads no byte more. Every page header in it has been checked.
 * @throws UnreadableTable
 */
export async function planChunk(window: ByteWindow, chunk: ColumnChunk, wantedValues: number, budget: DecodeBudget): Promise<{ chunk: ColumnChunk; isCut: boolean }> {
  const meta = chunk.meta_data;
  if (!meta || chunk.file_path) throw new UnreadableTable(meta ? 'its bytes lie in another file' : 'it is encrypted');
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const end = start + Number(meta.total_compressed_size);
  if (!(end >= start)) throw new UnreadableTable('its sizes are damaged');
  let at = start;
  let values = 0;
  while (at < end - 1 && values < wantedValues) {
    const page = await pageAt(window, at, end);
    checkPage(page);
    budget.take(page);
    at += page.headBytes + page.compressedBytes;
    if (at > end) throw new UnreadableTable('a page is longer than its column');
    if (page.type === 'data') values += page.values;
    await window.read(start, at);
  }
  const shorter: ColumnMetaData = { ...meta, total_compressed_size: BigInt(at - start), num_values: BigInt(values) };
  return { chunk: { file_offset: chunk.file_offset, meta_data: shorter }, isCut: at < end - 1 };
}

async function pageAt(window: ByteWindow, at: number, end: number): Promise<PageHead> {
  for (const bytes of HEAD_BYTES) {
    const head = readPageHead(await window.read(at, Math.min(at + bytes, end)));
    if (head !== null) return head;
  }
  throw new UnreadableTable('a page header is damaged');
}

function checkPage(page: PageHead): void {
  if (page.uncompressedBytes > MAX_PAGE_BYTES || page.compressedBytes > MAX_PAGE_BYTES) throw new UnreadableTable(`a page is larger than ${MAX_PAGE_BYTES} bytes`);
  if (page.values > MAX_PAGE_VALUES) throw new UnreadableTable(`a page has more than ${MAX_PAGE_VALUES} values`);
  if (page.isDeltaText && page.values * page.uncompressedBytes > MAX_DELTA_TEXT_BYTES) throw new UnreadableTable('a page of delta-encoded texts is too large');
}
