import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, destination } from 'pino';

const WRITTEN_FROM_BYTES = 4096;
/** One write takes so many, so that what piled up goes out in few writes. */
const MAX_WRITE_BYTES = 65_536;
const WRITTEN_EVERY_MS = 500;
/** What waits for a destination that is slow; lines beyond it are lost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const END_WITHIN_MS = 1000;

export interface LogStream extends DestinationStream {
  /** Lines that the destination did not take, since the start. */
  readonly lost: number;
  /** Called with their number once the destination takes lines again. */
  onLost(report: (lines: number) => void): void;
  /** Writes what is left. @returns false when the destination did not take it within a second */
  end(): Promise<boolean>;
}

/**
 * Writes in the background, so that a full disk or a pipe that nobody reads never holds up the process. It has none of
 * pino's ways to write at once, which wait for as long as the destination takes.
 * @param file null writes to standard output
 * @throws Error when the file cannot be opened
 */
export function openLogStream(file: string | null): LogStream {
  const stream = destination({
    fd: file === null ? 1 : openLogFile(file),
    sync: false,
    minLength: WRITTEN_FROM_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    periodicFlush: WRITTEN_EVERY_MS,
    maxLength: MAX_WAITING_BYTES,
  });
  let lost = 0;
  let isOver = false;
  stream.on('drop', () => {
    lost += 1;
  });
  // A disk that is full is tried again with the next lines; a pipe whose reader has gone takes nothing any more.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isOver ||= error.code === 'EPIPE';
  });
  return {
    get lost() {
      return lost;
    },
    write(line) {
      if (isOver) lost += 1;
      else stream.write(line);
    },
    onLost(report) {
      let reported = 0;
      stream.on('drain', () => {
        const lines = lost - reported;
        reported = lost;
        if (lines > 0) report(lines);
      });
    },
    async end() {
      if (isOver) return true;
      isOver = true;
      const isWritten = new Promise<boolean>((resolve) => {
        stream.once('close', () => resolve(true));
        stream.once('error', () => resolve(true));
      });
      stream.end();
      return Promise.race([isWritten, sleep(END_WITHIN_MS, false, { ref: false })]);
    },
  };
}

function openLogFile(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o600);
}
