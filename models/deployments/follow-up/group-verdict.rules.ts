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

/** `broken`: more have failed than may. `passed`: the next group begins, although devices of this one may still be at it. */
export type GroupVerdict = 'broken' | 'passed' | 'running';

export function groupVerdict(group: Group, { succeeded, failed, open }: GroupCount): GroupVerdict {
  if (failed > Math.floor((group.size * group.errorThreshold) / 100)) return 'broken';
  const isEnough = succeeded >= Math.ceil((group.size * group.successThreshold) / 100);
  return open === 0 || isEnough ? 'passed' : 'running';
}
