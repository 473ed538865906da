/** In which hours moments are written where no relative time can stand: fields, axes. */
export type Zone = 'local' | 'utc';

const MINUTE_MS = 60_000;

/** The hours of a moment in a zone, as `2026-11-25T20:54:00.000`; for a moment that is none, null. */
export function hoursIn(moment: Date, zone: Zone): string | null {
  const shift = zone === 'utc' ? 0 : moment.getTimezoneOffset() * MINUTE_MS;
  const shifted = new Date(moment.getTime() - shift);
  return Number.isNaN(shifted.getTime()) ? null : shifted.toISOString().slice(0, -1);
}

/** A moment as a line of a log has it, with its zone: `2026-11-25 20:54:00Z`, `2026-11-25 21:54:00+01:00`. */
export function stampIn(iso: string, zone: Zone): string {
  const moment = new Date(iso);
  const hours = hoursIn(moment, zone)?.slice(0, 19).replace('T', ' ') ?? iso;
  if (zone === 'utc') return `${hours}Z`;
  const minutes = -moment.getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const shift = `${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return `${hours}${minutes < 0 ? '-' : '+'}${shift}`;
}

/** A moment as a field of the browser shows it; empty for none. */
export const toField = (
  iso: string | number | undefined | null,
  zone: Zone,
  unit: 'minute' | 'second' = 'minute',
): string => hoursIn(new Date(String(iso ?? '')), zone)?.slice(0, unit === 'minute' ? 16 : 19) ?? '';

/** The moment that a field says. @returns undefined while it is empty or half typed */
export function fromField(value: string, zone: Zone): string | undefined {
  const at = new Date(value === '' || zone === 'local' ? value : `${value}Z`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
