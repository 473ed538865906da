import { hoursIn, type Zone } from '../moment';

const DAY_S = 86_400;

/**
 * What stands at the places of an axis of time: hours of 24, with the day below where it begins or changes.
 * @param step seconds between two places
 */
export function timeMarks(places: readonly number[], step: number, zone: Zone = 'local'): string[] {
  let before = '';
  return places.map((seconds) => {
    const [day = '', hours = ''] = hoursIn(new Date(seconds * 1000), zone)?.split('T') ?? [];
    if (step >= DAY_S) return day;
    const time = hours.slice(0, step < 60 ? 8 : 5);
    const mark = day === before ? time : `${time}\n${day}`;
    before = day;
    return mark;
  });
}
