import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { BeyondReader, UnreadableTable } from '../../core/ports/table-reader.js';

const damaged = () => new UnreadableTable('the lengths of its delta-encoded texts are damaged');

/**
 * Texts each built from the beginning of the one before (parquet-format, Encodings.md: DELTA_BYTE_ARRAY), written in full.
 * A few bytes can stand for very much text, so the size of the text is computed from the lengths before any of it is made.
 * @param total values of the page; the first `wanted` of them are unfolded
 * @param fixedBytes of every value, null where each is written behind its own length
 * @param maxBytes that may be made
 * @param take gets how many are made, before they are
 * @throws UnreadableTable; RangeError where the bytes end before the lengths do
 */
export function plainTexts(
  values: Uint8Array,
  {
    total,
    wanted,
    fixedBytes,
    maxBytes,
  }: { total: number; wanted: number; fixedBytes: number | null; maxBytes: number },
  take: (bytes: number) => void,
): Uint8Array {
  if (total === 0) return new Uint8Array(0);
  const reader = { view: new DataView(values.buffer, values.byteOffset, values.byteLength), offset: 0 };
  const prefixes = new Int32Array(total);
  deltaBinaryUnpack(reader, total, prefixes);
  const suffixes = new Int32Array(total);
  deltaBinaryUnpack(reader, total, suffixes);
  const lengths = { prefixes: prefixes.subarray(0, wanted), suffixes: suffixes.subarray(0, wanted) };
  const bytes = unfoldedBytes(lengths, values.length - reader.offset, fixedBytes, maxBytes);
  take(bytes);
  const plain = new Uint8Array(bytes);
  fill(plain, lengths, values.subarray(reader.offset), fixedBytes === null);
  return plain;
}

interface Lengths {
  /** Bytes that a text has of the one before it. */
  readonly prefixes: Int32Array;
  /** Bytes of its own behind them. */
  readonly suffixes: Int32Array;
}

const PLAIN_LENGTH_BYTES = 4;

function unfoldedBytes(
  { prefixes, suffixes }: Lengths,
  suffixBytes: number,
  fixedBytes: number | null,
  maxBytes: number,
): number {
  let [bytes, own, before] = [0, 0, 0];
  for (const [n, prefix] of prefixes.entries()) {
    const suffix = suffixes[n] as number;
    own += suffix;
    if (prefix < 0 || suffix < 0 || prefix > before || own > suffixBytes) throw damaged();
    before = prefix + suffix;
    if (fixedBytes !== null && before !== fixedBytes) throw damaged();
    bytes += before + (fixedBytes === null ? PLAIN_LENGTH_BYTES : 0);
    if (bytes > maxBytes) throw new BeyondReader(`the texts of a page take more than ${maxBytes} bytes`);
  }
  return bytes;
}

function fill(
  plain: Uint8Array,
  { prefixes, suffixes }: Lengths,
  own: Uint8Array,
  withLengths: boolean,
): void {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  let [at, from, before] = [0, 0, 0];
  for (const [n, prefix] of prefixes.entries()) {
    const suffix = suffixes[n] as number;
    if (withLengths) {
      view.setUint32(at, prefix + suffix, true);
      at += PLAIN_LENGTH_BYTES;
    }
    plain.copyWithin(at, before, before + prefix);
    plain.set(own.subarray(from, from + suffix), at + prefix);
    before = at;
    at += prefix + suffix;
    from += suffix;
  }
}
