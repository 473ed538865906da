import type { WaitCode } from '../../workloads/choose-host.rules.js';
import type { ExperimentStep, StepKey } from '../experiment.types.js';

/**
 * Why a step does not train yet, for programs: these words do not change. `worker`: no worker has begun it; `checking`: its
 * data is being checked; `starting`: a host prepares its runtime and fetches its data; the rest as hosts are chosen.
 */
export type StepReason = 'worker' | 'checking' | 'starting' | WaitCode;

/** A training that a host has taken. Progress is from 0 to 1, of the training itself. */
export interface RunningTraining {
  /** Since its training step began; null while it is prepared. */
  readonly elapsedS: number | null;
  /** How far the attempt had come whose checkpoint it goes on from; 0 without one. */
  readonly begunAt: number;
  /** What this attempt reported first and last of its rounds, once its data was read; null before. */
  readonly firstProgress: number | null;
  readonly firstAgoS: number | null;
  readonly latestProgress: number | null;
  readonly latestAgoS: number | null;
}

/** What is expected of a step that is not over. */
export interface StepForecast {
  readonly reason: StepReason | null;
  /** Counted from 1 among the trainings that wait for a host. */
  readonly queuePosition: number | null;
  readonly predictedStartAt: Date | null;
  readonly eta: Date | null;
}

/** From a free place to the beginning of the training. */
const STARTING_S = 5;

/**
 * Seconds that a training goes on for: by the pace of its rounds once it has reported two. Before that its progress says how
 * far it is with its data, or where it went on from, and nothing of how long a round takes.
 * @param typicalS of a whole training of which nothing is known
 * @returns null for one that takes longer than expected: nobody knows when it ends
 */
export function remainingS(running: RunningTraining, typicalS: number): number | null {
  const { elapsedS, begunAt } = running;
  const leftS = pacedS(running) ?? typicalS * (1 - begunAt) - (elapsedS ?? 0);
  return leftS > 0 ? leftS : null;
}

/** Not more than 0 where it should have ended by now; null where there is no pace. */
function pacedS({ firstProgress, firstAgoS, latestProgress, latestAgoS }: RunningTraining): number | null {
  if (firstProgress === null || firstAgoS === null || latestProgress === null || latestAgoS === null)
    return null;
  const [gained, tookS] = [latestProgress - firstProgress, firstAgoS - latestAgoS];
  if (gained <= 0 || tookS <= 0) return null;
  // The clock of the job may be ahead.
  return ((1 - latestProgress) * tookS) / gained - Math.max(0, latestAgoS);
}

/** Reasons that pass when another training ends. Nobody knows when the others do. */
const PASSING: ReadonlySet<StepReason> = new Set(['turn', 'memory', 'memory_limit']);

/**
 * Seconds until a training begins; null where it cannot be estimated.
 * @param position counted from 1
 * @param running those whose end makes room, by what remains of them; null where that is not known
 * @param makingS of its environment, which a host makes first; 0 where there is one
 */
export function waitS(
  reason: StepReason | null,
  position: number | null,
  running: ReadonlyArray<number | null>,
  typicalS: number,
  makingS = 0,
): number | null {
  if (reason === null || reason === 'worker' || reason === 'checking' || reason === 'starting')
    return STARTING_S + makingS;
  if (!PASSING.has(reason) || position === null) return null;
  const ends = running.filter((one) => one !== null).sort((a, b) => a - b);
  if (ends.length === 0 || (ends.length < running.length && position > ends.length)) return null;
  // Whoever is beyond those that run waits for as many who wait before, each as long as usual.
  const turns = Math.floor((position - 1) / ends.length);
  return (ends[(position - 1) % ends.length] as number) + turns * typicalS + STARTING_S + makingS;
}

export interface ForecastFacts {
  readonly now: Date;
  readonly reason: StepReason | null;
  readonly queuePosition: number | null;
  /** Null where it cannot be estimated. */
  readonly waitS: number | null;
  /** Duration of the whole training, as estimated before it began. */
  readonly typicalS: number;
  /** Null while the attempt waits. */
  readonly running: RunningTraining | null;
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
    const leftS = facts.running && remainingS(facts.running, facts.typicalS);
    const eta = leftS === null ? null : after(leftS);
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
