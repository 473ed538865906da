/** Both ends are part of it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a Range header (RFC 9110, 14.2). Null: send everything (no header, several ranges or another unit, which a server
 * may ignore).
 */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | null | 'unsatisfiable' {
  const found = header === undefined ? null : /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!found || (found[1] === '' && found[2] === '')) return null;
  if (found[1] === '') {
    const last = Number(found[2]);
    return last === 0 || sizeBytes === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, sizeBytes - last), end: sizeBytes - 1 };
  }
  const start = Number(found[1]);
  const end = found[2] === '' ? sizeBytes - 1 : Math.min(Number(found[2]), sizeBytes - 1);
  if (found[2] !== '' && Number(found[2]) < start) return null;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
