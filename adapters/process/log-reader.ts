import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface LogPart {
  readonly text: string;
  readonly nextOffset: number;
  /** True when the part reaches the end of what is written so far. */
  readonly isAtEnd: boolean;
}

const NEWLINE = 0x0a;
/** The longest line that a reader waits for; longer ones are cut between characters. */
const MIN_BYTES = 16;

/**
 * Reads a stream of bytes kept in files named by the offset of their first byte. Text before the oldest file is gone: a
 * reader that asks for it goes on at the oldest that is kept. While the writer lives an unfinished last line stays unread,
 * unless it alone fills `maxBytes`.
 */
export async function readLogPart(
  directory: string,
  offset: number,
  maxBytes: number,
  isFinal: boolean,
): Promise<LogPart> {
  const limit = Math.max(MIN_BYTES, maxBytes);
  const bases = (await readdir(directory).catch(() => [] as string[]))
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
  const last = bases.at(-1);
  if (last === undefined) return { text: '', nextOffset: Math.max(0, offset), isAtEnd: true };
  const end = last + (await sizeOf(directory, last));
  const from = Math.min(end, Math.max(bases[0] ?? 0, offset < 0 ? end + offset : offset));
  const bytes = await readRange(directory, bases, from, Math.min(end, from + limit));
  const reachesEnd = from + bytes.length >= end;
  const cut = reachesEnd && isFinal ? bytes.length : cutAtLine(bytes, bytes.length >= limit);
  return {
    text: bytes.subarray(0, cut).toString('utf8'),
    nextOffset: from + cut,
    isAtEnd: from + cut >= end,
  };
}

/** Where to end: after the last line; without one nowhere, or before an incomplete character when the part is full. */
function cutAtLine(bytes: Buffer, isFull: boolean): number {
  const line = bytes.lastIndexOf(NEWLINE);
  if (line >= 0) return line + 1;
  if (!isFull) return 0;
  let cut = bytes.length;
  while (cut > bytes.length - 4 && cut > 0 && ((bytes[cut - 1] ?? 0) & 0xc0) === 0x80) cut--;
  return cut > 0 && ((bytes[cut - 1] ?? 0) & 0xc0) === 0xc0 ? cut - 1 : bytes.length;
}

const fileOf = (directory: string, base: number): string =>
  join(directory, `${String(base).padStart(20, '0')}.log`);

async function sizeOf(directory: string, base: number): Promise<number> {
  const file = await open(fileOf(directory, base), 'r');
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function readRange(
  directory: string,
  bases: readonly number[],
  from: number,
  to: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let position = from;
  for (const [index, base] of bases.entries()) {
    const stop = Math.min(to, bases[index + 1] ?? to);
    if (position >= stop || position < base) continue;
    const file = await open(fileOf(directory, base), 'r');
    try {
      const buffer = Buffer.allocUnsafe(stop - position);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position - base);
      parts.push(buffer.subarray(0, bytesRead));
      position += bytesRead;
    } finally {
      await file.close();
    }
  }
  return Buffer.concat(parts);
}
