import { crc32, deflateRawSync } from 'node:zlib';

export interface CraftedMember {
  readonly name: string;
  /** Written in place of `name`, and without saying that it is UTF-8. */
  readonly unsaidName?: Buffer;
  readonly bytes: Buffer;
  readonly deflate?: boolean;
  /** Stored as it is, whatever `bytes` are. */
  readonly raw?: Buffer;
  readonly method?: number;
  readonly statedSize?: number;
  readonly crc?: number;
  readonly flags?: number;
  readonly unixMode?: number;
  /** Extra field of local header and directory entry. */
  readonly extra?: Buffer;
  /** That of the directory entry alone. */
  readonly comment?: Buffer;
}

export interface Crafting {
  /** Every directory entry points at the first member. */
  readonly sameOffset?: boolean;
  readonly damageDirectory?: boolean;
}

/** A ZIP that may lie: every field can be set. */
export function craftZip(members: readonly CraftedMember[], how: Crafting = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const name = Buffer.concat([
      member.unsaidName ?? Buffer.from(member.name),
      member.extra ?? Buffer.alloc(0),
    ]);
    const data = member.raw ?? (member.deflate ? deflateRawSync(member.bytes) : member.bytes);
    const head = header(member, name, data);
    directory.push(entry(head, name, member, how.sameOffset ? 0 : offset));
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, name, data]);
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  if (how.damageDirectory) central.write('XX', 0);
  return Buffer.concat([...locals, central, end(members.length, central.length, offset)]);
}

/** Empty members, as many as asked for; beyond 65,535 with the 64-bit end records. */
export function manyMembers(count: number): Buffer {
  const empty = craftZip([{ name: 'x', bytes: Buffer.alloc(0) }]);
  if (count < 65_535)
    return craftZip(Array.from({ length: count }, (_, n) => ({ name: `m/${n}`, bytes: Buffer.alloc(0) })));
  const zip64 = Buffer.alloc(56 + 20);
  zip64.write('PK\u0006\u0006', 0, 'latin1');
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(0n, 48);
  zip64.write('PK\u0006\u0007', 56, 'latin1');
  zip64.writeBigUInt64LE(BigInt(empty.length), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([empty, zip64, end(0xffff, 0xffffffff, 0xffffffff)]);
}

/** The fields that local header and directory share: flags to lengths. @param name and the extra field behind it */
function header(member: CraftedMember, name: Buffer, data: Buffer): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0);
  head.writeUInt16LE((member.flags ?? 0) | (member.unsaidName ? 0 : 0x800), 2);
  head.writeUInt16LE(member.method ?? (member.deflate ? 8 : 0), 4);
  head.writeUInt32LE(member.crc ?? crc32(member.bytes), 10);
  head.writeUInt32LE(data.length, 14);
  head.writeUInt32LE(member.statedSize ?? member.bytes.length, 18);
  const extra = member.extra?.length ?? 0;
  head.writeUInt16LE(name.length - extra, 22);
  head.writeUInt16LE(extra, 24);
  return head;
}

function entry(
  head: Buffer,
  name: Buffer,
  { unixMode = 0o100644, comment = Buffer.alloc(0) }: CraftedMember,
  offset: number,
): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt16LE(comment.length, 0);
  rest.writeUInt32LE((unixMode << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), head, rest, name, comment]);
}

function end(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\u0005\u0006', 0, 'latin1');
  record.writeUInt16LE(Math.min(count, 0xffff), 8);
  record.writeUInt16LE(Math.min(count, 0xffff), 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}
