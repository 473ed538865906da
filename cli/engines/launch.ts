import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from './engine.js';
import { isRunning, type ProcessRef, refOf } from './process-ref.js';

/** Names the data directory in the environment of everything that a supervisor starts, so that orphan processes can be recognised. */
export const SUPERVISED_VARIABLE = 'VISIONOPS_SUPERVISED';

/** Beyond this size a log is set aside at the next start, so that two files bound what a log may take. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

export interface LaunchOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
  /** Only root may start a process as somebody else. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
}

/** Starts a process in a session of its own, output to its log, so that it outlives a supervisor that is killed. */
export async function launch(options: LaunchOptions): Promise<ProcessRef> {
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  setLargeLogAside(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  try {
    const child = spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log, log],
      ...(options.runAs ?? {}),
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return refOf(child.pid as number);
  } finally {
    closeSync(log);
  }
}

function setLargeLogAside(file: string): void {
  try {
    if (statSync(file).size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
  } catch {
    // There is no log yet.
  }
}

/** Size of a log now, in bytes: where the lines of a process begin that is started next. */
export function endOfLog(file: string): number {
  try {
    const { size } = statSync(file);
    return size > LOG_LIMIT_BYTES ? 0 : size;
  } catch {
    return 0;
  }
}

const NOTHING = '(nothing)';
/** A line of a service's own log is a whole record. */
const LINES_OF_SERVICE = 3;

/** The last lines of a log that were written after a place, for an error message. */
export function tailOfLog(file: string, from: number, lines = 15): string {
  try {
    return (
      readFileSync(file).subarray(from).toString().trimEnd().split('\n').slice(-lines).join('\n') || NOTHING
    );
  } catch {
    return '(no log)';
  }
}

export interface ReadinessOptions {
  readonly name: string;
  readonly ref: ProcessRef;
  readonly logFile: string;
  /** Byte of the log from which on the lines are those of this process. */
  readonly logFrom: number;
  /** Where a service writes to once it can; quoted where `logFile` says nothing. */
  readonly serviceLog?: { readonly file: string; readonly from: number } | undefined;
  readonly timeoutMs: number;
  /** Answers when ready and throws while not. */
  readonly probe: () => Promise<unknown>;
}

/** @throws Error with the end of the log when the process ends, EngineError when the time is over, before the probe answers */
export async function waitUntilReady(options: ReadinessOptions): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  const said = () => {
    const own = tailOfLog(options.logFile, options.logFrom);
    const { serviceLog } = options;
    if (own !== NOTHING || serviceLog === undefined) return `Its log ${options.logFile} says:\n${own}`;
    return `Its log ${serviceLog.file} says:\n${tailOfLog(serviceLog.file, serviceLog.from, LINES_OF_SERVICE)}`;
  };
  let last: unknown;
  for (;;) {
    try {
      await options.probe();
      return;
    } catch (error) {
      last = error;
    }
    if (!isRunning(options.ref)) throw new Error(`${options.name} ended while it started. ${said()}`);
    if (Date.now() > deadline)
      // Other ports would not help it.
      throw new EngineError(
        `${options.name} was not ready after ${options.timeoutMs / 1000} s (${(last as Error).message}). ${said()}`,
      );
    await sleep(25);
  }
}

/** Variables that a child may need from this process; everything else, secrets included, stays here. */
export function baseEnvironment(): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'LC_ALL',
    'TZ',
    'TMPDIR',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    SUPERVISED_VARIABLE,
  ];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])),
  );
}
