import { type DeviceStep, REPORTED_STEPS, type ReportedStep } from '../deployment.types.js';

/** What a device says of a command while it runs it, as far as it can be understood. */
export interface DeviceReport {
  readonly step: ReportedStep | null;
  /** From 0 to 1. */
  readonly progress: number | null;
  readonly message: string | null;
}

const MAX_MESSAGE = 500;

export function readReport(result: Readonly<Record<string, unknown>> | null): DeviceReport {
  const { step, progress, message } = result ?? {};
  return {
    step: REPORTED_STEPS.find((known) => known === step) ?? null,
    progress: typeof progress === 'number' && progress >= 0 && progress <= 1 ? progress : null,
    message: typeof message === 'string' && message !== '' ? message.slice(0, MAX_MESSAGE) : null,
  };
}

/** What the log says of a device that gets to a step, after its key. */
export const STEP_TEXTS: Readonly<Record<DeviceStep, string>> = {
  queued: 'is to be asked again',
  downloading: 'downloads it',
  installing: 'installs it',
  verifying: 'tries it',
  succeeded: 'has installed it',
  failed: 'failed',
  canceled: 'is not asked any more',
};

/** A line for people. */
export const reportText = (deviceKey: string, step: DeviceStep, message: string | null): string =>
  `${deviceKey} ${STEP_TEXTS[step]}${message === null ? '.' : `: ${message}`}`;
