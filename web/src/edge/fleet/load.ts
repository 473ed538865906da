/** What a device says of itself, as a share of 100. */
export interface Load {
  /** As a bar is long: from 0 to 100. */
  readonly percent: number;
  readonly shown: string;
  readonly level: 'calm' | 'high' | 'full';
}

const HIGH = 75;
const FULL = 90;

/** @returns null where the device does not say */
export function loadOf(value: number | null): Load | null {
  if (value === null || !Number.isFinite(value)) return null;
  // Devices choose their numbers; a bar is never longer than its ground.
  const percent = Math.min(100, Math.max(0, value));
  return {
    percent,
    shown: `${Math.round(value)} %`,
    level: percent >= FULL ? 'full' : percent >= HIGH ? 'high' : 'calm',
  };
}
