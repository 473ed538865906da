/** A file of an archive, whose bytes are stored as they are: pictures do not shrink. */
export interface Member {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** The first day that the format knows. */
const DATE = (1 << 5) | 1;
const CRC_TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * Many small files as one ZIP archive: one request instead of hundreds. At most 65,535 members and 4 GiB.
 * @returns its bytes, in pieces
 */
export function zipOf(members: readonly Member[]): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const { path, bytes } of members) {
    const name = encoder.encode(path);
    const sum = crc32(bytes);
    const common = [
      [2, VERSION],
      [2, FLAGS],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, sum],
      [4, bytes.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    ] as const;
    const local = record([[4, LOCAL], ...common]);
    pieces.push(local, name, bytes);
    directory.push(
      record([[4, CENTRAL], [2, VERSION], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]),
      name,
    );
    at += local.length + name.length + bytes.length;
  }
  const size = directory.reduce((sum, piece) => sum + piece.length, 0);
  const count = members.length;
  return [
    ...pieces,
    ...directory,
    record([
      [4, END],
      [2, 0],
      [2, 0],
      [2, count],
      [2, count],
      [4, size],
      [4, at],
      [2, 0],
    ]),
  ];
}

/** Numbers one after the other, the lowest byte first. @param fields each with its bytes and value */
function record(fields: ReadonlyArray<readonly [bytes: 2 | 4, value: number]>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [length]) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [length, value] of fields) {
    if (length === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += length;
  }
  return bytes;
}

export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (let at = 0; at < bytes.length; at++)
    sum = (CRC_TABLE[(sum ^ (bytes[at] as number)) & 0xff] as number) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
