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

/** Structured logs, one JSON object a line. Buffered up to 32 KiB or half a second when written to a file; flushed on exit by the owner. */
export function createLogger(options: LoggerOptions): { logger: Logger; flush: () => void } {
  const stream = destination(options.file === null ? { dest: 1, sync: true } : { dest: options.file, sync: false, minLength: 32_768, maxWrite: 65_536, mkdir: true, mode: 0o600 });
  const logger = pino(
    {
      name: options.name,
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: REDACT, censor: '[redacted]' },
      base: { name: options.name, pid: process.pid },
    },
    stream as DestinationStream,
  );
  const timer = options.file === null ? null : setInterval(() => stream.flush(), 500).unref();
  return {
    logger,
    flush: () => {
      if (timer) clearInterval(timer);
      try {
        stream.flushSync();
      } catch {
        // The destination may not be open yet: there is nothing to flush then.
      }
    },
  };
}
