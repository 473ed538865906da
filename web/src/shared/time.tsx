import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type TimeForm, useTimeForm } from '../app/preferences';
import { text } from '../text';
import { duration } from './spans';

/** A moment in the form that the reader chose; the exact moment on hover. */
export function Time({ iso }: { iso: string | null | undefined }) {
  const [form] = useTimeForm();
  const now = useNow(form === 'relative' ? 10_000 : null);
  if (!iso) return <span aria-hidden>–</span>;
  return (
    <Tooltip label={`${exact(iso, 'utc')} · ${exact(iso, 'local')}`} withArrow>
      <time dateTime={iso} style={{ whiteSpace: 'nowrap' }}>
        {form === 'relative' ? ago(iso, now) : exact(iso, form)}
      </time>
    </Tooltip>
  );
}

/** Time of this browser, again and again. @param everyMs null: it stands still */
export function useNow(everyMs: number | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function exact(iso: string, form: Exclude<TimeForm, 'relative'>): string {
  const at = new Date(iso);
  if (form === 'utc') return text.units.utc(at.toISOString().slice(0, 19).replace('T', ' '));
  return at.toLocaleString(text.units.language, { dateStyle: 'medium', timeStyle: 'medium' });
}

const STEPS: ReadonlyArray<readonly [number, Intl.RelativeTimeFormatUnit, number]> = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [30 * 86_400, 'day', 86_400],
  [365 * 86_400, 'month', 30 * 86_400],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400],
];
const words = new Intl.RelativeTimeFormat(text.units.language, { numeric: 'auto' });

/** @param now milliseconds since 1970 */
export function ago(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  // The clock of the page ticks every ten seconds: what is a little ahead of it has just happened.
  if (seconds > -5 && seconds < 10) return text.units.now;
  const [, unit, size] = STEPS.find(([limit]) => Math.abs(seconds) < limit) ?? ['', 'year' as const, 1];
  return words.format(Math.round(seconds / size), unit);
}

/** Time between two moments, the second of them now when it is open. */
export const durationBetween = (from: string, until: string | null, now: number): string =>
  duration(Math.max(0, ((until === null ? now : Date.parse(until)) - Date.parse(from)) / 1000));
