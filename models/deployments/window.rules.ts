import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { Window } from './deployment.types.js';

const DAY_MIN = 1440;
const MIN_MS = 60_000;

/** @throws AppError unprocessable_entity for an unknown time zone, and for a window without length */
export function assertWindow({ from, to, tz }: Window): void {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: tz });
  } catch {
    throw unprocessable([
      fieldError(['body', 'window', 'tz'], 'must be a time zone of the IANA database, such as Europe/Berlin'),
    ]);
  }
  if (from === to)
    throw unprocessable([fieldError(['body', 'window', 'to'], 'must be another time than from')]);
}

/** Until when it is open, or from when on it is again; the change of a clock within it is taken into account. */
export interface WindowState {
  readonly isOpen: boolean;
  readonly changesAt: Date;
}

export function windowState(window: Window, now: Date): WindowState {
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  const local = localMinutes(window.tz, now);
  const isOpen = from < to ? local >= from && local < to : local >= from || local < to;
  return { isOpen, changesAt: next(window.tz, now, isOpen ? to : from) };
}

/** The next moment at which a clock on the wall there shows these minutes of the day. */
function next(tz: string, now: Date, minutes: number): Date {
  const begun = Math.floor(now.getTime() / MIN_MS) * MIN_MS;
  const ahead = minutesAhead(minutes - localMinutes(tz, now));
  const guess = new Date(begun + ahead * MIN_MS);
  // A clock that was put forward or back on the way shows something else then.
  const off = minutes - localMinutes(tz, guess);
  const nearest = off > DAY_MIN / 2 ? off - DAY_MIN : off < -DAY_MIN / 2 ? off + DAY_MIN : off;
  const corrected = new Date(guess.getTime() + nearest * MIN_MS);
  return corrected > now ? corrected : guess;
}

const minutesAhead = (minutes: number): number => (((minutes % DAY_MIN) + DAY_MIN - 1) % DAY_MIN) + 1;

function localMinutes(tz: string, at: Date): number {
  const text = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: tz, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  }).format(at);
  return minutesOf(text);
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

export const windowText = ({ from, to, tz }: Window): string => `${from} to ${to} ${tz}`;
