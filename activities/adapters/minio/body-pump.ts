import { connect, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { type AnswerHead, readAnswerHead } from './answer-head.js';
import { StoreStatusError } from './store-errors.js';

/** Measured on loopback: 512 KiB take 40 % of the CPU time that streams of 64 KiB pieces take. */
const BUFFER_BYTES = 512 * 1024;
/** Writes under way for one body: with the one being filled this bounds its memory to 2 MiB. */
const MAX_WRITES = 3;
/** Buffers kept for the next body. */
const MAX_FREE = 32;
const SILENCE_MS = 60_000;
const CONNECT_MS = 5000;

const freeBuffers: Buffer[] = [];
const takeBuffer = (): Buffer => freeBuffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
const giveBack = (buffer: Buffer): void => {
  if (freeBuffers.length < MAX_FREE) freeBuffers.push(buffer);
};

/**
 * GETs a presigned plain-http URL on a connection of its own and writes the body to the target, whatever its end.
 * @throws StoreStatusError for an answer without the body; BrokenBody when it breaks off half-way
 */
export function pumpBody(url: string, range: { start: number; end: number }, target: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => void new BodyPump(new URL(url), range, target, signal, resolve, reject));
}

/** The target holds a part of the body: nobody may try again. */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody';
}

class BodyPump {
  private readonly socket: Socket;
  private head: Buffer | null = Buffer.alloc(0);
  private left: number;
  private current: Buffer = Buffer.alloc(0);
  private writes = 0;
  private hasWritten = false;
  private isEnded = false;
  private readonly onAbort = () => this.end(new DOMException('the reader has left', 'AbortError'));

  constructor(
    url: URL,
    range: { start: number; end: number },
    private readonly target: Writable,
    private readonly signal: AbortSignal,
    private readonly resolve: () => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.left = range.end - range.start + 1;
    const buffer = () => {
      this.current = takeBuffer();
      return this.current;
    };
    this.socket = connect({ host: url.hostname, port: Number(url.port || 80), noDelay: true, onread: { buffer, callback: (bytes) => this.take(bytes) } });
    this.socket.setTimeout(CONNECT_MS, () => this.onSilence());
    this.socket.once('connect', () => this.socket.setTimeout(SILENCE_MS));
    this.socket.once('error', (error) => this.end(error));
    this.socket.once('close', () => this.end(Object.assign(new Error('the store closed the connection early'), { code: 'ECONNRESET' })));
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (signal.aborted) this.onAbort();
    else this.socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nRange: bytes=${range.start}-${range.end}\r\nConnection: close\r\n\r\n`);
  }

  /** @returns false to read no more until there is room */
  private take(bytes: number): boolean {
    if (this.isEnded) return false;
    const buffer = this.current;
    let piece = buffer.subarray(0, bytes);
    if (this.head !== null) {
      const rest = this.takeHead(piece);
      if (rest === null || rest.length === 0) return !this.isEnded;
      piece = rest;
    }
    if (piece.length > this.left) piece = piece.subarray(0, this.left);
    if (piece.length === 0) return false;
    this.left -= piece.length;
    this.write(piece, piece.buffer === buffer.buffer ? buffer : null);
    return this.left > 0 && this.writes < MAX_WRITES;
  }

  /** @returns what follows the head, null while it is not whole or when it says that no body comes */
  private takeHead(piece: Buffer): Buffer | null {
    let found: { head: AnswerHead; rest: Buffer } | null;
    try {
      this.head = Buffer.concat([this.head as Buffer, piece]);
      found = readAnswerHead(this.head);
    } catch (error) {
      this.end(error);
      return null;
    }
    if (!found) return null;
    this.head = null;
    const { status, contentLength } = found.head;
    // A store may answer a range of the whole with 200.
    if ((status !== 206 && status !== 200) || contentLength !== this.left) {
      const isRefusal = status >= 300;
      this.end(new StoreStatusError(isRefusal ? status : 502, isRefusal && status === 404 ? 'NoSuchKey' : ''));
      return null;
    }
    return found.rest;
  }

  private write(piece: Buffer, owner: Buffer | null): void {
    this.writes += 1;
    this.hasWritten = true;
    this.target.write(piece, (error) => {
      this.writes -= 1;
      if (error) return this.end(error);
      if (owner !== null) giveBack(owner);
      if (this.left === 0 && this.writes === 0) this.end(null);
      else if (this.left > 0) this.socket.resume();
    });
  }

  /** A slow reader is no silence of the store. */
  private onSilence(): void {
    if (this.writes > 0) this.socket.setTimeout(SILENCE_MS);
    else this.end(Object.assign(new Error('the store has fallen silent'), { code: 'ETIMEDOUT' }));
  }

  private end(error: unknown): void {
    // The connection closes once all bytes are there, which may be before the last of them is written.
    if (this.isEnded || (error !== null && this.left === 0 && this.writes > 0 && !this.signal.aborted && !this.target.destroyed)) return;
    this.isEnded = true;
    this.signal.removeEventListener('abort', this.onAbort);
    this.socket.destroy();
    if (error === null) this.resolve();
    else this.reject(this.hasWritten ? new BrokenBody('the body broke off', { cause: error }) : error);
  }
}
