import type { WaitCode } from '../../workloads/choose-host.rules.js';
import type { ExperimentStep, StepKey } from '../experiment.types.js';

/**
 * Why a step does not train yet, for programs: these words do not change. `worker`: no worker has begun it; `checking`: its
 * data is being checked; `starting`: a host prepares its runtime and fetches its data; the rest as hosts are chosen.
 */
export type StepReason = 'worker' | 'checking' | 'starting' | WaitCode;

/** A training that a host has taken. */
export interface RunningTraining {
  /** From 0 to 1, of the training itself. */
  readonly progress: number;
  /** Since its training step began; null while it is prepared. */
  readonly elapsedS: number | null;
}

/** What is expected of a step that is not over. */
export interface StepForecast {
  readonly reason: StepReason | null;
  /** Counted from 1 among the trainings that wait for a host. */
  readonly queuePosition: number | null;
  readonly predictedStartAt: Date | null;
  readonly eta: Date | null;
}

/** Until progress says more, it predicts nothing. */
const MIN_PROGRESS = 0.02;
/** From a free place to the beginning of the training. */
const STARTING_S = 5;

/** Seconds that a training goes on for. @param typicalS of one of which nothing is known */
export function remainingS({ progress, elapsedS }: RunningTraining, typicalS: number): number {
  if (elapsedS === null) return typicalS;
  return progress < MIN_PROGRESS ? Math.max(0, typicalS - elapsedS) : (elapsedS * (1 - progress)) / progress;
}

/** Reasons that pass when another training ends. Nobody knows when the others do. */
const PASSING: ReadonlySet<StepReason> = new Set(['turn', 'memory', 'memory_limit']);

/**
 * Seconds until a training begins; null where it cannot be estimated.
 * @param position counted from 1
 * @param running those whose end makes room, by what remains of them
 */
export function waitS(
  reason: StepReason | null,
  position: number | null,
  running: readonly number[],
  typicalS: number,
): number | null {
  if (reason === null || reason === 'worker' || reason === 'checking' || reason === 'starting')
    return STARTING_S;
  if (!PASSING.has(reason) || position === null || running.length === 0) return null;
  const ends = [...running].sort((a, b) => a - b);
  // Whoever is beyond those that run waits for as many who wait before, each as long as usual.
  const turns = Math.floor((position - 1) / ends.length);
  return (ends[(position - 1) % ends.length] as number) + turns * typicalS + STARTING_S;
}

export interface ForecastFacts {
  readonly now: Date;
  readonly reason: StepReason | null;
  readonly queuePosition: number | null;
  /** Null where it cannot be estimated. */
  readonly waitS: number | null;
  /** Duration of the whole training, as estimated before it began. */
  readonly typicalS: number;
}

const NOTHING: StepForecast = { reason: null, queuePosition: null, predictedStartAt: null, eta: null };

/** What is expected of the steps of an attempt that has not ended: of its preparation and its training. */
export function forecastSteps(
  steps: readonly ExperimentStep[],
  facts: ForecastFacts,
): ReadonlyMap<StepKey, StepForecast> {
  const train = steps.find(({ key }) => key === 'train');
  if (!train || (train.status !== 'pending' && train.status !== 'running')) return new Map();
  const after = (seconds: number): Date => new Date(facts.now.getTime() + seconds * 1000);
  if (train.status === 'running') {
    const elapsedS = train.startedAt ? (facts.now.getTime() - train.startedAt.getTime()) / 1000 : null;
    const eta = after(remainingS({ progress: train.progress, elapsedS }, facts.typicalS));
    return new Map([['train', { ...NOTHING, eta }]]);
  }
  const { reason, queuePosition } = facts;
  const begins = facts.waitS === null ? null : after(facts.waitS);
  const ends = facts.waitS === null ? null : after(facts.waitS + facts.typicalS);
  return new Map([
    ['prepare', { reason, queuePosition, predictedStartAt: null, eta: begins }],
    ['train', { reason, queuePosition, predictedStartAt: begins, eta: ends }],
  ]);
}
