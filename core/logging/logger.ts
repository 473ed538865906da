import { type Logger, pino, stdTimeFunctions } from 'pino';
import { openLogStream } from './log-stream.js';

export type { Logger };

export interface LoggerOptions {
  readonly level: string;
  readonly name: string;
  /** Null writes to standard output. */
  readonly file: string | null;
}

export interface ProcessLog {
  readonly logger: Logger;
  /** Lines that were lost because the destination did not take them, since the start. */
  readonly lostLines: () => number;
  /** Ends the process once everything is written, after a second in any case. */
  readonly exit: (code: number) => Promise<never>;
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

/** Structured logs, one JSON object a line, written in blocks or after half a second. */
export function createLogger(options: LoggerOptions): ProcessLog {
  const stream = openLogStream(options.file);
  const logger = pino(
    {
      name: options.name,
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: REDACT, censor: '[redacted]' },
      base: { name: options.name, pid: process.pid },
    },
    stream,
  );
  stream.onLost((lines) =>
    logger.warn({ lines }, 'log lines were lost: they were not taken as fast as they came'),
  );
  return {
    logger,
    lostLines: () => stream.lost,
    exit: async (code) => {
      if (await stream.end()) process.exit(code);
      // An exit would wait for the write that is under way.
      process.kill(process.pid, 'SIGKILL');
      return new Promise<never>(() => undefined);
    },
  };
}
