import type { DeviceStep, Group, StepCount } from '../deployment.types.js';

/** How many devices of a group have come to an end, and how. */
export interface GroupCount {
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  /** Still to come. */
  readonly open: number;
}

export function countGroup(counts: readonly StepCount[], groupNo: number): GroupCount {
  const ofGroup = counts.filter((count) => count.groupNo === groupNo);
  const of = (step: DeviceStep) =>
    ofGroup.reduce((sum, count) => (count.step === step ? sum + count.count : sum), 0);
  const ended = { succeeded: of('succeeded'), failed: of('failed'), canceled: of('canceled') };
  const all = ofGroup.reduce((sum, { count }) => sum + count, 0);
  return { ...ended, open: all - ended.succeeded - ended.failed - ended.canceled };
}

export type GroupVerdict = 'broken' | 'passed' | 'running';

/** Devices of which thresholds are percentages: those that are not asked any more do not count. */
const counted = ({ size }: Group, { canceled }: GroupCount): number => size - canceled;

const mayFail = (group: Group, count: GroupCount): number =>
  Math.floor((counted(group, count) * group.errorThreshold) / 100);

/** Devices that have to succeed. */
const needed = (group: Group, count: GroupCount): number =>
  Math.ceil((counted(group, count) * group.successThreshold) / 100);

/** Where all have to succeed, those that may fail are excepted. */
const neededAtEnd = (group: Group, count: GroupCount): number =>
  group.successThreshold === 100 ? counted(group, count) - mayFail(group, count) : needed(group, count);

/**
 * `broken`: more have failed than may, or all have ended and too few have succeeded. `passed`: the next group begins, although
 * devices of this one may still be at it.
 */
export function groupVerdict(group: Group, count: GroupCount): GroupVerdict {
  const { succeeded, failed, open } = count;
  if (failed > mayFail(group, count)) return 'broken';
  if (open === 0) return succeeded >= neededAtEnd(group, count) ? 'passed' : 'broken';
  return succeeded >= needed(group, count) ? 'passed' : 'running';
}

/** All of its devices were deleted, or later deployments took them: that it has passed says nothing of the version. */
export const isUntried = (group: Group, count: GroupCount): boolean => counted(group, count) === 0;

/** Why a group is broken, in words. @param which one; null: there is only this */
export function brokenGroupText(group: Group, count: GroupCount, which: number | null): string {
  const { succeeded, failed } = count;
  if (failed > mayFail(group, count)) {
    const ofGroup = which === null ? '' : ` of group ${which}`;
    return `${failed} ${failed === 1 ? 'device' : 'devices'}${ofGroup} failed, more than the deployment allows.`;
  }
  const named = which === null ? '' : `Group ${which}: `;
  return `${named}${succeeded} of ${counted(group, count)} succeeded, ${neededAtEnd(group, count)} are needed.`;
}
