import { AppError } from '../../core/errors/app-error.js';

/** Pause before a failed workload change is retried. */
const RETRY_MS = 5_000;
/** The first failure is in the next sign of life; by now nothing new comes to this machine. */
const MOVES_AFTER = 3;
/** For so long after a failure nothing new is placed on a machine. */
const TROUBLED_MS = 60_000;
/** What the system says of the machine itself: memory, disk, files, processes. */
const OF_MACHINE = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EACCES',
  'EPERM',
]);

/** A requested state that its host could not bring about yet. */
export interface StartTrouble {
  readonly tries: number;
  /** Milliseconds since 1970, as the other times. */
  readonly retryAt: number;
  readonly failedAt: number;
  /** The system's code where the machine itself is the cause; null otherwise. */
  readonly machineCode: string | null;
  /** For people of the tenant: without paths and names of the machine. */
  readonly reason: string;
  /** The machine is the cause, and stays it. */
  readonly isForAnother: boolean;
}

export function startTrouble(error: unknown, before: StartTrouble | undefined, now: number): StartTrouble {
  const tries = (before?.tries ?? 0) + 1;
  const machineCode = machineCodeOf(error);
  return {
    ...{ tries, machineCode, failedAt: now, retryAt: now + RETRY_MS },
    reason: reasonOf(error, machineCode),
    isForAnother: machineCode !== null && tries >= MOVES_AFTER,
  };
}

/** Says nothing of its machine any more. */
export const isOver = ({ failedAt }: StartTrouble, now: number): boolean => now - failedAt >= TROUBLED_MS;

/** Why nothing should be begun here: what failed last for a cause of the machine itself. */
export function machineProblem(troubles: readonly StartTrouble[], now: number): string | null {
  const last = troubles
    .filter((one) => one.machineCode !== null && !isOver(one, now))
    .sort((a, b) => b.failedAt - a.failedAt)[0];
  return last?.machineCode ?? null;
}

function machineCodeOf(error: unknown): string | null {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall !== undefined && code !== undefined && OF_MACHINE.has(code) ? code : null;
}

function reasonOf(error: unknown, machineCode: string | null): string {
  if (machineCode !== null) return `Its machine cannot start it (${machineCode}); it is tried again.`;
  if (error instanceof AppError) return `It could not be started yet: ${error.message}`;
  return 'It could not be started yet; its machine tries again.';
}
