const DAY_S = 86_400;
const two = (value: number): string => String(value).padStart(2, '0');

/**
 * What stands at the places of an axis of time, in the time zone of the browser: hours of 24, with the day below where it
 * begins or changes.
 * @param step seconds between two places
 */
export function timeMarks(places: readonly number[], step: number): string[] {
  let before = '';
  return places.map((seconds) => {
    const at = new Date(seconds * 1000);
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    if (step >= DAY_S) return day;
    const time = `${two(at.getHours())}:${two(at.getMinutes())}${step < 60 ? `:${two(at.getSeconds())}` : ''}`;
    const mark = day === before ? time : `${time}\n${day}`;
    before = day;
    return mark;
  });
}
