const MAX_HEAD_BYTES = 64 * 1024;
const END = Buffer.from('\r\n\r\n');

/** The part of an HTTP/1.1 answer before its body that a download needs. */
export interface AnswerHead {
  readonly status: number;
  /** Null when the answer states none: it is chunked, or ends with the connection. */
  readonly contentLength: number | null;
}

/** Null while the head is not whole. @throws Error for what is no HTTP answer */
export function readAnswerHead(bytes: Buffer): { head: AnswerHead; rest: Buffer } | null {
  const end = bytes.indexOf(END);
  if (end < 0) {
    if (bytes.length > MAX_HEAD_BYTES) throw new Error('the head of the answer does not end');
    return null;
  }
  const text = bytes.toString('latin1', 0, end);
  const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(text);
  if (!status) throw new Error('the answer is not HTTP');
  const length = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?:\r\n|$)/i.exec(text);
  const isChunked = /\r\ntransfer-encoding:/i.test(text);
  return { head: { status: Number(status[1]), contentLength: length && !isChunked ? Number(length[1]) : null }, rest: bytes.subarray(end + END.length) };
}
