import { constants } from 'node:os';
import type { ExitRecord, SpecRecord } from './workload-records.js';

/** Exit codes of the runtime contract; the same table stands in docs/reference/runtime-contract.md. */
export const EXIT_CODES = {
  ok: 0,
  error: 1,
  config: 2,
  input: 3,
  staging: 4,
  tracker: 5,
  address: 6,
  canceled: 10,
  memory: 11,
  terminated: 12,
} as const;

const MEANINGS: Readonly<Record<number, string>> = {
  [EXIT_CODES.error]: 'The program ended with an error; the last lines of the log say which.',
  [EXIT_CODES.config]: 'The configuration was refused; the last line of the log names the field.',
  [EXIT_CODES.input]: 'The dataset or model cannot be used; the last line of the log says why.',
  [EXIT_CODES.staging]: 'The input could not be fetched from the object store; a retry may succeed.',
  [EXIT_CODES.tracker]: 'The tracker did not answer for a minute; a retry goes on from the last checkpoint.',
  [EXIT_CODES.address]: 'The server could not listen on its port.',
  [EXIT_CODES.canceled]: 'The platform no longer accepted this attempt.',
  [EXIT_CODES.memory]: 'Memory ran out inside the program; use smaller images or a higher memory limit.',
  [EXIT_CODES.terminated]: 'Terminated on request after saving its state.',
};

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;

const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** One line for people: why it ended. */
export function explainExit(exit: ExitRecord, spec: SpecRecord): string {
  if (exit.reason === 'memory')
    return `Out of memory: it used more than its limit of ${mib(spec.memoryBytes)} (${mib(exit.peakBytes)} at the end). Raise the limit or use smaller images.`;
  if (exit.reason === 'timeout') return `Stopped at its time limit of ${spec.timeoutS ?? 0} s.`;
  if (exit.reason === 'stopped') return 'Stopped on request.';
  if (exit.reason === 'suspended') return 'Interrupted because the platform was stopped.';
  if (exit.reason === 'unhealthy') return 'Restarted because it no longer answered.';
  if (exit.reason === 'lost')
    return 'Its supervising process was killed or the machine restarted, so how it ended is not known.';
  if (exit.reason === 'unstartable') return `It could not be started: ${exit.error ?? 'unknown reason'}.`;
  if (exit.signal !== null) return `Killed by ${signalName(exit.signal)} from outside the platform.`;
  if (exit.code === 0) return 'Finished.';
  const meaning = MEANINGS[exit.code ?? 1] ?? 'The last lines of the log say why.';
  return `Exit code ${exit.code}: ${meaning}`;
}
