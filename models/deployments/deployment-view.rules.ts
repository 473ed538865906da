import type { DeviceStep, DeploymentRow, Group, StepCount } from './deployment.types.js';
import { countGroup, groupVerdict } from './follow-up/group-verdict.rules.js';

const STEPS = ['queued', 'downloading', 'installing', 'verifying'] as const;
type Step = (typeof STEPS)[number];

export interface StepView {
  readonly step: Step;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly message: string;
  /** Devices. */
  readonly at: number;
  readonly done: number;
  readonly failed: number;
}

export interface GroupView extends Group {
  /** From 1. */
  readonly number: number;
  readonly status: 'waiting' | 'running' | 'done' | 'failed';
  readonly succeeded: number;
  readonly failed: number;
}

/** A deployment with what its devices have come to. */
export interface DeploymentView {
  readonly row: DeploymentRow;
  readonly devices: number;
  /** From 0 to 1. */
  readonly progress: number;
  readonly steps: readonly StepView[];
  readonly groups: readonly GroupView[];
  /** What a rollback would do; absent where nobody asked. */
  readonly rollback?: readonly WayBack[];
}

/** Devices that a rollback treats alike. */
export interface WayBack {
  readonly from: number;
  /** Null: they keep what they have. */
  readonly to: number | null;
  readonly count: number;
}

export function viewDeployment(row: DeploymentRow, counts: readonly StepCount[]): DeploymentView {
  const devices = counts.reduce((sum, { count }) => sum + count, 0);
  const ended = sumOf(counts, ({ step }) => isEnd(step));
  return {
    row,
    devices,
    progress: devices === 0 ? 0 : ended / devices,
    steps: STEPS.map((step, at) => viewStep(step, at, counts, { devices, ended })),
    groups: row.groups.map((group, at) => viewGroup(row, group, at, counts)),
  };
}

export const isEnd = (step: DeviceStep): boolean => !(STEPS as readonly string[]).includes(step);

/** Devices that these counts are of. */
export const sumOf = (counts: readonly StepCount[], counted: (count: StepCount) => boolean): number =>
  counts.reduce((sum, each) => (counted(each) ? sum + each.count : sum), 0);

function viewStep(
  step: Step,
  place: number,
  counts: readonly StepCount[],
  all: { readonly devices: number; readonly ended: number },
): StepView {
  const isPast = (reached: DeviceStep | null) => STEPS.indexOf(reached as Step) > place;
  const at = sumOf(counts, (count) => count.step === step);
  const failed = sumOf(counts, (count) => count.step === 'failed' && (count.failedStep ?? 'queued') === step);
  const done = sumOf(
    counts,
    (count) => count.step === 'succeeded' || isPast(count.step === 'failed' ? count.failedStep : count.step),
  );
  return {
    step,
    status: statusOf({ at, done, failed, ...all }),
    message: textOf(at, done, failed),
    at,
    done,
    failed,
  };
}

function statusOf(counts: Record<'at' | 'done' | 'failed' | 'devices' | 'ended', number>) {
  const { at, done, failed, devices, ended } = counts;
  if (at > 0) return 'running';
  if (failed > 0) return 'failed';
  if (done === 0) return 'pending';
  // Where every device has ended, such as after an abort, nothing goes further.
  return done === devices || ended === devices ? 'done' : 'running';
}

function textOf(at: number, done: number, failed: number): string {
  const parts = [
    ...(at > 0 ? [`${at} at it`] : []),
    ...(done > 0 ? [`${done} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return parts.join(', ');
}

function viewGroup(row: DeploymentRow, group: Group, at: number, counts: readonly StepCount[]): GroupView {
  const { succeeded, failed, canceled, open } = countGroup(counts, at);
  const isBroken = groupVerdict(group, { succeeded, failed, canceled, open }) === 'broken';
  const hasBegun = at < row.currentGroup || (at === row.currentGroup && row.startedAt !== null);
  const status = !hasBegun ? 'waiting' : isBroken ? 'failed' : open > 0 ? 'running' : 'done';
  return { ...group, number: at + 1, status, succeeded, failed };
}
