import type { WorkloadKind } from '../../core/ports/workload-runner.js';
import { goesOn } from './cut-off-job.rules.js';
import type { InstanceView, IntentRecord } from './workload-records.js';

/** A shim writes its pid within milliseconds; a launch without one after this time did not happen. */
const LAUNCH_GRACE_MS = 10_000;
/** Beyond the grace the shim itself has, before the reconciler kills over its head. */
const SHIM_EXTRA_MS = 5_000;
/** Maximum time for frequent probes of a starting service; afterwards probes are rarer. */
const COMING_UP_MS = 60_000;
export const MAX_FAILED_PROBES = 6;

export type InstanceStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'start' }
  | { readonly kind: 'probe' }
  /** Its shim is gone and left no exit record: end what may be left of it and write the record. */
  | { readonly kind: 'bury' }
  | { readonly kind: 'count-death' }
  | { readonly kind: 'ask-to-stop'; readonly reason: 'stopped' | 'unhealthy' | 'suspended' }
  | { readonly kind: 'kill' };

export interface PlanInput {
  readonly kind: WorkloadKind;
  readonly intent: IntentRecord;
  readonly view: InstanceView;
  readonly bootId: string;
  readonly nowMs: number;
  /** TCP ports that jobs need now; null: the kernel holds nobody to those of its start. */
  readonly connect: readonly number[] | null;
}

const ms = (iso: string): number => Date.parse(iso);

/** What has to happen to one instance now. Pure: the reconciler does it, a repeat after a crash decides the same. */
export function planInstance(input: PlanInput): InstanceStep {
  const { intent, view } = input;
  const isWanted = intent.desired === 'running' && view.index < intent.replicas;
  if (view.isAlive) return planAlive(input, isWanted);
  if (view.launch !== null && view.exit === null) {
    if (view.pid !== null) return { kind: 'bury' };
    return isWanted && !isLaunching(input) ? { kind: 'start' } : { kind: 'none' };
  }
  return isWanted ? planDown(input) : { kind: 'none' };
}

/** Its shim was started and has not said anything yet. */
function isLaunching({ view, bootId, nowMs }: PlanInput): boolean {
  const { launch } = view;
  if (launch === null || view.pid !== null || view.exit !== null || launch.bootId !== bootId) return false;
  return nowMs - ms(launch.launchedAt) <= LAUNCH_GRACE_MS;
}

/** API or store came back on a port that is closed to what runs: it goes on from its checkpoint, with new rules. */
const isCutFrom = ({ view: { launch }, connect }: PlanInput): boolean =>
  connect?.some((port) => launch?.connect?.includes(port) === false) === true;

function planAlive(input: PlanInput, isWanted: boolean): InstanceStep {
  const { kind, intent, view, nowMs } = input;
  const { stopAskedAt, failedProbes } = view.record;
  if (stopAskedAt !== null)
    return nowMs - ms(stopAskedAt) > intent.graceS * 1000 + SHIM_EXTRA_MS
      ? { kind: 'kill' }
      : { kind: 'none' };
  if (!isWanted) return { kind: 'ask-to-stop', reason: 'stopped' };
  if (kind === 'job')
    return isCutFrom(input) ? { kind: 'ask-to-stop', reason: 'suspended' } : { kind: 'none' };
  return failedProbes >= MAX_FAILED_PROBES ? { kind: 'ask-to-stop', reason: 'unhealthy' } : { kind: 'probe' };
}

function planDown({ kind, intent, view, nowMs, bootId }: PlanInput): InstanceStep {
  const { record, exit, launch } = view;
  if (launch === null || exit === null) return { kind: 'start' };
  if (kind === 'job') return { kind: goesOn(exit, record) ? 'start' : 'none' };
  // Ended by the platform's own shutdown or with the machine: no death of its own.
  if (exit.reason === 'suspended' || (exit.reason === 'lost' && launch.bootId !== bootId))
    return { kind: 'start' };
  if (record.generation < intent.generation || exit.reason === 'stopped') return { kind: 'start' };
  if (record.hasFailed) return { kind: 'none' };
  if (record.countedAttempt < launch.attempt) return { kind: 'count-death' };
  return record.nextStartAt === null || ms(record.nextStartAt) <= nowMs
    ? { kind: 'start' }
    : { kind: 'none' };
}

/** Whether nothing of the workload runs, is being started or will be started without a new wish. */
export function isSettled(inputs: readonly PlanInput[]): boolean {
  return inputs.every((input) => {
    if (input.view.isAlive || isLaunching(input) || planInstance(input).kind !== 'none') return false;
    const isWanted = input.intent.desired === 'running' && input.view.index < input.intent.replicas;
    return !isWanted || input.kind === 'job' || input.view.record.hasFailed;
  });
}

/** Whether its state is about to change, so that a look after 2 s would come late. */
export function isUnderWay(input: PlanInput): boolean {
  const { view, kind, nowMs } = input;
  if (isLaunching(input)) return true;
  const step = planInstance(input).kind;
  if (!view.isAlive) return step !== 'none';
  const isComingUp =
    kind === 'service' &&
    view.record.readySince === null &&
    nowMs - ms(view.launch?.launchedAt ?? '') < COMING_UP_MS;
  return isComingUp || step === 'ask-to-stop' || view.record.stopAskedAt !== null;
}

/** Whether no process of the workload exists or may still appear. */
export function isDown(inputs: readonly PlanInput[]): boolean {
  return inputs.every(
    (input) =>
      !input.view.isAlive && !isLaunching(input) && (input.view.pid === null || input.view.exit !== null),
  );
}
