/**
 * Levels and indices are numbers of a fixed width in runs: one number many times, or groups of eight packed bit by bit
 * (parquet-format, Encodings.md: RLE / bit-packing hybrid).
 */

/** The first `count` numbers; null when the bytes end before them. @param width in bits, at most 32 */
export function readRuns(bytes: Uint8Array, width: number, count: number): Uint32Array | null {
  const numbers = new Uint32Array(count);
  if (width === 0) return numbers;
  let at = 0;
  for (let seen = 0; seen < count; ) {
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 28) return null;
      head = (head | ((byte & 0x7f) << shift)) >>> 0;
      if (byte < 0x80) break;
    }
    const most = count - seen;
    if (head & 1) {
      const run = (head >>> 1) * 8;
      const taken = Math.min(run, most);
      if (at + Math.ceil((taken * width) / 8) > bytes.length) return null;
      for (let n = 0; n < taken; n += 1) numbers[seen + n] = bitsAt(bytes, at, n * width, width);
      seen += taken;
      at += (run * width) / 8;
    } else {
      const size = Math.ceil(width / 8);
      if (at + size > bytes.length) return null;
      numbers.fill(bitsAt(bytes, at, 0, width), seen, seen + Math.min(head >>> 1, most));
      seen += Math.min(head >>> 1, most);
      at += size;
    }
  }
  return numbers;
}

/** `width` bits from a bit on, the least significant first. */
function bitsAt(bytes: Uint8Array, from: number, bit: number, width: number): number {
  let value = 0;
  let at = from + Math.floor(bit / 8);
  for (let have = -(bit % 8); have < width; have += 8) {
    const byte = bytes[at++] ?? 0;
    value += have < 0 ? byte >>> -have : byte * 2 ** have;
  }
  return value % 2 ** width;
}

/** The numbers as runs of one, which every reader of `size` bytes a number takes. */
export function writeRuns(numbers: Uint32Array, size: number): Buffer {
  const bytes = Buffer.alloc(numbers.length * (1 + size));
  let at = 0;
  for (const number of numbers) {
    at = bytes.writeUInt8(2, at);
    at = bytes.writeUIntLE(number, at, size);
  }
  return bytes;
}
