import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { Group, GroupWish, Strategy } from './deployment.types.js';

export const MAX_GROUPS = 100;
const CANARY_PERCENT = 10;
const ALL: GroupWish = { size: null, percent: null, successThreshold: 100, errorThreshold: 0 };

/** @throws AppError unprocessable_entity naming the group */
export function assertGroups(groups: readonly GroupWish[]): void {
  if (groups.length > MAX_GROUPS)
    throw unprocessable([fieldError(['body', 'groups'], `must be at most ${MAX_GROUPS}`)]);
  const problems = groups.flatMap(({ size, percent }, at) => [
    ...(size !== null && percent !== null
      ? [fieldError(['body', 'groups', at], 'must state size or percent, not both')]
      : []),
    ...(size === null && percent === null && at < groups.length - 1
      ? [fieldError(['body', 'groups', at], 'must state size or percent: only the last takes what is left')]
      : []),
    ...(percent !== null && !(percent > 0)
      ? [fieldError(['body', 'groups', at, 'percent'], 'must be above 0')]
      : []),
  ]);
  if (problems.length > 0) throw unprocessable(problems);
}

/**
 * Groups of the devices, one after the other; their sizes add up to the devices. The last one takes what is left whatever it
 * states, and those that get no device any more are left out.
 * @param devices at least 1
 */
export function planGroups(devices: number, strategy: Strategy, wished: readonly GroupWish[]): Group[] {
  const groups = wished.length > 0 ? wished : byStrategy(strategy);
  const planned: Group[] = [];
  let left = devices;
  for (const [at, { size, percent, successThreshold, errorThreshold }] of groups.entries()) {
    const stated = size ?? (percent === null ? left : Math.max(1, Math.round((devices * percent) / 100)));
    const taken = at === groups.length - 1 ? left : Math.min(left, stated);
    if (taken > 0) planned.push({ size: taken, successThreshold, errorThreshold });
    left -= taken;
  }
  return planned;
}

const byStrategy = (strategy: Strategy): readonly GroupWish[] =>
  strategy === 'canary' ? [{ ...ALL, percent: CANARY_PERCENT }, ALL] : [ALL];
