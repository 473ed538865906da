import { text } from '../text';

/** Seconds as people say them: `1 h 05 min`, `3 min 20 s`, `4.2 s`. */
export function duration(seconds: number): string {
  // Rounded first: 9.97 s are ten seconds, and 119.6 s two minutes.
  const tenths = Math.round(seconds * 10) / 10;
  if (tenths < 10) return text.units.seconds(tenths.toFixed(1));
  const whole = Math.round(seconds);
  if (whole < 60) return text.units.seconds(String(whole));
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return text.units.minutes(minutes, whole % 60);
  return text.units.hours(Math.floor(minutes / 60), minutes % 60);
}

/** Seconds of an estimate, no more exact than it is: `20 s`, `4 min`, `1.5 h`. */
export function roughDuration(seconds: number): string {
  if (seconds < 55)
    return text.units.seconds(String(seconds < 10 ? Math.max(1, Math.round(seconds)) : rounded(seconds, 5)));
  const minutes = seconds / 60;
  if (minutes < 55) return text.units.wholeMinutes(minutes < 10 ? Math.round(minutes) : rounded(minutes, 5));
  const hours = minutes / 60;
  return text.units.roughHours(String(hours < 10 ? rounded(hours, 0.5) : Math.round(hours)));
}

const rounded = (value: number, step: number): number => Math.round(value / step) * step;
