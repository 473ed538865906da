import { text } from '../text';

export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  const names = text.units.bytes;
  while (value >= 1024 && unit < names.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${names[unit]}`;
}

export const count = (value: number): string => value.toLocaleString(text.units.language);

/** A metric's value with four significant digits. */
export function metric(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(3);
  return String(Number(value.toPrecision(4)));
}

export const share = (value: number): string => text.units.percent((value * 100).toFixed(1));
