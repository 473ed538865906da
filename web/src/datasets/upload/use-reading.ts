import { useState } from 'react';
import { chosenFiles, droppedFiles, type Read, weighed } from './drop-entries';
import type { Failure } from './upload-messages';
import type { Dropped } from './upload-plan';

export interface Reading {
  /** Files so far; null when nothing is read. */
  readonly files: number | null;
  /** What the browser could not read of the last drop. */
  readonly failures: readonly Failure[];
  readonly error: unknown;
  readonly drop: (transfer: DataTransfer) => void;
  readonly choose: (list: FileList) => void;
}

/** Reads what was dropped or chosen, and hands over what could be read. */
export function useReading(onFiles: (dropped: readonly Dropped[]) => void): Reading {
  const [files, setFiles] = useState<number | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [error, setError] = useState<unknown>(null);
  const read = async (given: Promise<Read>) => {
    setFiles(0);
    setFailures([]);
    setError(null);
    try {
      const { found, failures: unreadable } = await given;
      setFailures(unreadable);
      const dropped = await weighed(found, setFiles);
      if (dropped.length > 0) onFiles(dropped);
    } catch (failed) {
      setError(failed);
    } finally {
      setFiles(null);
    }
  };
  return {
    files,
    failures,
    error,
    drop: (transfer) => void read(droppedFiles(transfer, setFiles)),
    choose: (list) => void read(Promise.resolve({ found: chosenFiles(list), failures: [] })),
  };
}
