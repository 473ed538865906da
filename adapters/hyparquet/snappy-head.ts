/**
 * The beginning of what a Snappy block unpacks to, from the beginning of the block: it ends where the bytes end or after
 * `most` bytes (format: google/snappy, format_description.txt).
 * @throws RangeError where the block is damaged
 */
export function unpackSnappyHead(input: Uint8Array, most: number): Uint8Array {
  const output = Buffer.allocUnsafe(most);
  let at = 0;
  // The length of the whole, which the page header states too.
  while ((input[at++] ?? 0) >= 0x80);
  let made = 0;
  while (made < most) {
    const element = elementAt(input, at);
    if (element === null) break;
    const length = Math.min(element.length, most - made);
    if (element.offset === 0) {
      const literal = input.subarray(element.next, element.next + length);
      output.set(literal, made);
      made += literal.length;
      at = element.next + element.length;
    } else {
      copyBack(output, made, element.offset, length);
      made += length;
      at = element.next;
    }
  }
  return output.subarray(0, made);
}

interface Element {
  readonly length: number;
  /** Back from the end of what was made; 0 for bytes that stand in the input. */
  readonly offset: number;
  readonly next: number;
}

/** Null where the input ends. */
function elementAt(input: Uint8Array, at: number): Element | null {
  const tag = input[at];
  if (tag === undefined) return null;
  const kind = tag & 3;
  const size = kind === 0 ? Math.max(0, (tag >>> 2) - 59) : kind === 3 ? 4 : kind;
  if (at + 1 + size > input.length) return null;
  let number = 0;
  for (let n = 0; n < size; n += 1) number += (input[at + 1 + n] as number) * 2 ** (8 * n);
  const next = at + 1 + size;
  if (kind === 0) return { length: (size === 0 ? tag >>> 2 : number) + 1, offset: 0, next };
  const offset = kind === 1 ? number + ((tag >>> 5) << 8) : number;
  if (offset === 0) throw new RangeError('a copy of nothing');
  return { length: kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1, offset, next };
}

/** A copy may reach into what it makes: it then repeats. */
function copyBack(output: Buffer, made: number, offset: number, length: number): void {
  if (offset > made) throw new RangeError('a copy from before the beginning');
  if (offset >= length) output.copyWithin(made, made - offset, made - offset + length);
  else for (let n = 0; n < length; n += 1) output[made + n] = output[made + n - offset] as number;
}
