import { appendFileSync } from 'node:fs';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger };

export interface LoggerOptions {
  readonly level: string;
  readonly name: string;
  /** Null writes to standard output. */
  readonly file: string | null;
}

/** Paths that may hold a secret wherever they turn up in a log record. */
const REDACT = [
  'password',
  'token',
  'secret',
  'authorization',
  'cookie',
  'headers.authorization',
  'headers.cookie',
  '*.password',
  '*.token',
  '*.secret',
  '*.authorization',
  '*.cookie',
];

/** Lines are handed on in blocks of about this many characters: the file's stream measures all it holds at each write. */
const BLOCK_CHARACTERS = 32_768;
const FLUSH_EVERY_MS = 500;

/** Structured logs, one JSON object a line. Written to a file in blocks, or after half a second; flushed on exit by the owner. */
export function createLogger(options: LoggerOptions): { logger: Logger; flush: () => void } {
  const stream = destination(
    options.file === null
      ? { dest: 1, sync: true }
      : { dest: options.file, sync: false, mkdir: true, mode: 0o600 },
  );
  const blocks = options.file === null ? null : inBlocks(stream);
  const logger = pino(
    {
      name: options.name,
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: REDACT, censor: '[redacted]' },
      base: { name: options.name, pid: process.pid },
    },
    blocks ?? (stream as DestinationStream),
  );
  const timer = blocks && setInterval(() => hand(blocks.take(), stream), FLUSH_EVERY_MS).unref();
  return {
    logger,
    flush: () => {
      if (timer) clearInterval(timer);
      try {
        stream.flushSync();
        // The stream would begin to write these without waiting for their end, and the process ends now.
        if (options.file !== null) appendFileSync(options.file, blocks?.take() ?? '');
      } catch {
        // The destination may not be open yet: there is nothing to flush then.
      }
    },
  };
}

function hand(block: string, stream: DestinationStream): void {
  if (block !== '') stream.write(block);
}

function inBlocks(stream: DestinationStream): DestinationStream & { readonly take: () => string } {
  let lines: string[] = [];
  let characters = 0;
  const take = () => {
    const block = lines.join('');
    lines = [];
    characters = 0;
    return block;
  };
  return {
    write(line) {
      lines.push(line);
      characters += line.length;
      if (characters >= BLOCK_CHARACTERS) hand(take(), stream);
    },
    take,
  };
}
