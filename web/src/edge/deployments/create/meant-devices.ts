import type { Fleet } from '../../queries';
import type { Draft } from './draft';

/**
 * How many devices are meant.
 * @param counts devices of the fleet with the location and the version of the draft, by status; null: not read yet
 * @returns null: only the platform knows
 */
export function meantDevices(
  { target, ids, location, os, current }: Draft,
  counts: Fleet['counts'] | null,
): number | null {
  if (target === 'device') return 1;
  // The total of the fleet stops at a limit; the sum of its parts does not.
  const counted = counts && Object.values(counts).reduce((sum: number, each) => sum + Number(each), 0);
  if (target === 'fleet') return counted;
  const isFiltered = location !== '' || current !== '';
  if (os !== '' || (ids.length > 0 && isFiltered)) return null;
  return isFiltered ? counted : ids.length;
}
