import { duration } from '../../shared/spans';
import { text } from '../../text';

const words = text.sources.intervals;

export const INTERVALS = [
  { value: '', label: words.never },
  { value: '3600', label: words.hour },
  { value: '86400', label: words.day },
  { value: '604800', label: words.week },
];

export const secondsOf = (value: string): number | null => (value === '' ? null : Number(value));

/** "Every day", "every 7 min", "Only by hand" */
export const intervalWord = (seconds: number | null): string =>
  INTERVALS.find(({ value }) => value === String(seconds ?? ''))?.label ??
  text.sources.every(duration(seconds ?? 0));
