import type { Dropped } from './upload-plan';

/** A session that can be gone on with; kept by the page, which outlives the worker. */
export interface KeptSession {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
  readonly uploadId: string;
}

export interface Job {
  readonly tenant: string;
  /** Id of who dropped the files. */
  readonly person: string;
  readonly datasetId: string;
  /** In all; they arrive bit by bit. */
  readonly files: number;
  readonly bytes: number;
  readonly sessions: readonly KeptSession[];
  /** False for a dataset that was made just now: nothing is there to be compared with. */
  readonly mayHold: boolean;
}

/** From the page to the worker. */
export type Command =
  | { readonly kind: 'start'; readonly job: Job }
  | { readonly kind: 'more'; readonly entries: readonly Dropped[] }
  | { readonly kind: 'all' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'stop' }
  /** Goes on with what a break left unsent, and with these that failed; null: all of them. */
  | { readonly kind: 'retry'; readonly paths: readonly string[] | null };

export type Phase =
  | 'listing'
  | 'sending'
  | 'assembling'
  | 'paused'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'stopped';

/** A reason of our own, which the text file puts into words, or the platform's message. */
export type FailureCode = 'unreadable' | 'path' | 'differs' | 'changed' | 'checksum' | 'archive' | 'refused';

export interface Failure {
  readonly path: string;
  /** The member of an archive that was taken without it; left out: the file itself was not taken. */
  readonly member?: string;
  readonly code: FailureCode;
  readonly message: string | null;
}

/** What no file is to blame for, and what it left unsent. */
export interface Break {
  readonly files: number;
  readonly message: string;
}

/** Another try brings nothing for members: the platform has read the archive, and refuses them again. */
export const canRetry = ({ member }: Failure): boolean => member === undefined;

export interface Wait {
  readonly reason: 'noAnswer' | 'busy' | 'signedOut';
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Numbers alone: 20,000 names do not travel four times a second. */
export interface Progress {
  readonly phase: Phase;
  readonly files: number;
  readonly filesDone: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly bytesDone: number;
  readonly failed: number;
  /** Why the upload ended before everything was tried. */
  readonly broken: Break | null;
  readonly rate: number | null;
  readonly secondsLeft: number | null;
  readonly wait: Wait | null;
  /** Files that travel now. */
  readonly now: ReadonlyArray<{ readonly path: string; readonly share: number; readonly isHashing: boolean }>;
  readonly unpacked: { readonly created: number; readonly skipped: number } | null;
}

/** From the worker to the page. */
export type Report =
  | { readonly kind: 'progress'; readonly progress: Progress; readonly failures: readonly Failure[] | null }
  | { readonly kind: 'session'; readonly session: KeptSession }
  | { readonly kind: 'session-over'; readonly path: string };

export const isOver = (phase: Phase): boolean =>
  phase === 'done' || phase === 'failed' || phase === 'stopped';
