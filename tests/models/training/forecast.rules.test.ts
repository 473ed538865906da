import { describe, expect, it } from '@jest/globals';
import {
  estimateDuration,
  estimateMemory,
  type TrainingSize,
} from '../../../models/training/forecast/estimate.rules.js';
import {
  forecastSteps,
  remainingS,
  type RunningTraining,
  waitS,
} from '../../../models/training/forecast/forecast.rules.js';
import { trainingSizeOf } from '../../../models/training/forecast/training-size.js';
import type { ExperimentStep } from '../../../models/training/experiment.types.js';

const size: TrainingSize = {
  ...{ images: 400, trained: 320, rounds: 8, batch: 8, imageSize: 160, parametersM: 12 },
};

describe('the estimate of a training', () => {
  it('comes from the size of the model while nothing of the kind was trained here', () => {
    const found = estimateDuration(size, []);
    // The guide's detector: about four minutes on two cores.
    expect(found).toMatchObject({ basis: 'catalog', samples: 0 });
    expect(found.expectedS).toBeGreaterThan(120);
    expect(found.expectedS).toBeLessThan(480);
    expect(found.lowS).toBeLessThan(found.expectedS);
    expect(found.highS).toBeGreaterThan(found.expectedS);
  });

  it('grows with the work of trainings that were done here', () => {
    const past = [110, 130, 310].map((seconds) => ({ size, seconds }));
    expect(estimateDuration(size, past)).toEqual({
      ...{ expectedS: 130, lowS: 110, highS: 310, basis: 'history', samples: 3 },
    });
    expect(estimateDuration({ ...size, rounds: 16 }, past).expectedS).toBe(250);
    expect(estimateDuration(size, past.slice(0, 1))).toMatchObject({ expectedS: 110, highS: 165 });
  });

  it('of memory grows with batch, size and parameters', () => {
    const network = { usesGpu: true };
    const least = estimateMemory(size, network);
    for (const more of [{ batch: 64 }, { imageSize: 640 }, { parametersM: 60 }])
      expect(estimateMemory({ ...size, ...more }, network)).toBeGreaterThan(least);
    expect(estimateMemory({ ...size, images: 10 ** 7 }, network)).toBeLessThan(least + 2 ** 30);
  });

  it('reads rounds and sizes from hyperparameters, and the defaults where they are silent', () => {
    const model = { hyperparameters: 'epochs: 30\nbatch_size: 4\nimage_size: 320', parametersM: 2 };
    const config = {
      ...{ task: 'detection', classes: [], hyperparameters: 'epochs: 3' },
      split: { mode: 'ratio', train: 0.5, val: 0.25, test: 0.25, seed: 1, stratify: false },
    } as const;
    const facts = { classes: [], tasks: {}, splits: {}, fileCount: 100 };
    expect(trainingSizeOf(config, model as never, facts)).toEqual({
      ...{ images: 100, trained: 50, rounds: 3, batch: 4, imageSize: 320, parametersM: 2 },
    });
    const existing = { ...config, split: { ...config.split, mode: 'existing' } } as const;
    const parts = { ...facts, splits: { train: 60, val: 20 } };
    expect(trainingSizeOf(existing, model as never, parts)).toMatchObject({ images: 80, trained: 60 });
  });
});

const training = (over: Partial<RunningTraining> = {}): RunningTraining => ({
  ...{ elapsedS: null, begunAt: 0, firstProgress: null, firstAgoS: null },
  ...{ latestProgress: null, latestAgoS: null },
  ...over,
});
/** Two reports: progress, and how many seconds ago. */
const rounds = (
  [firstProgress, firstAgoS]: [number, number],
  [latestProgress, latestAgoS]: [number, number],
) => ({ firstProgress, firstAgoS, latestProgress, latestAgoS }) as const;

describe('what remains of a training', () => {
  it('is as usual until two of its rounds are over, and then goes by their pace', () => {
    // 200 s of ten rounds; each takes 60 s here, after 20 s for its data.
    expect(remainingS(training({ elapsedS: 79 }), 200)).toBe(121);
    const one = rounds([0.18, 1], [0.18, 1]);
    expect(remainingS(training({ elapsedS: 81, ...one }), 200)).toBe(119);
    const two = training({ elapsedS: 141, ...rounds([0.18, 61], [0.26, 1]) });
    expect(remainingS(two, 200)).toBeCloseTo((0.74 / 0.08) * 60 - 1);
    // The clock of the job is ahead.
    expect(remainingS({ ...two, firstAgoS: 30, latestAgoS: -30 }, 200)).toBeCloseTo((0.74 / 0.08) * 60);
  });

  it('counts what an earlier attempt has done for no pace', () => {
    const resumed = training({ elapsedS: 30, begunAt: 0.5 });
    expect(remainingS(resumed, 400)).toBe(170);
    expect(remainingS({ ...resumed, ...rounds([0.58, 1], [0.58, 1]) }, 400)).toBe(170);
    expect(remainingS({ ...resumed, ...rounds([0.58, 60], [0.66, 0]) }, 400)).toBeCloseTo((0.34 / 0.08) * 60);
    // Its program began anew and has not come as far yet.
    expect(remainingS({ ...resumed, ...rounds([0.66, 60], [0.58, 0]) }, 400)).toBe(170);
  });

  it('is not known once a training takes longer than usual, or than its pace has promised', () => {
    expect(remainingS(training({ elapsedS: 199 }), 200)).toBe(1);
    for (const elapsedS of [200, 900]) expect(remainingS(training({ elapsedS }), 200)).toBeNull();
    expect(remainingS(training({ elapsedS: 120, begunAt: 0.5 }), 200)).toBeNull();
    expect(remainingS(training({ elapsedS: 900, ...rounds([0.18, 1], [0.18, 1]) }), 200)).toBeNull();
    // Nothing was reported for long.
    const silent = training({ elapsedS: 141, ...rounds([0.18, 10_060], [0.26, 10_000]) });
    expect(remainingS(silent, 200)).toBeNull();
    expect(remainingS({ ...silent, ...rounds([0.5, 100], [1, 0]) }, 200)).toBeNull();
  });
});

describe('the wait for a training', () => {
  it('is that for the end of another one, by what remains of it', () => {
    expect(remainingS(training({ elapsedS: 100 }), 250)).toBe(150);
    expect(remainingS(training(), 250)).toBe(250);
    expect(waitS('turn', 1, [300, 100], 50)).toBe(105);
    expect(waitS('turn', 2, [300, 100], 50)).toBe(305);
    expect(waitS('memory', 3, [300, 100], 50)).toBe(155);
    expect(waitS('starting', null, [], 50)).toBe(5);
  });

  it('is longer by what its environment takes to be made', () => {
    for (const reason of [null, 'worker', 'checking', 'starting'] as const)
      expect(waitS(reason, null, [], 50, 95)).toBe(100);
    expect(waitS('turn', 1, [300, 100], 50, 95)).toBe(200);
    expect(waitS('no_host', 1, [300], 50, 95)).toBeNull();
  });

  it('is not known where it takes the end of one of which that is not known', () => {
    expect(waitS('turn', 1, [null, 100], 50)).toBe(105);
    expect(waitS('turn', 2, [null, 100], 50)).toBeNull();
    expect(waitS('turn', 3, [null, 100], 50)).toBeNull();
    expect(waitS('turn', 1, [null], 50)).toBeNull();
    expect(waitS('memory', 2, [300, null, 100], 50)).toBe(305);
    for (const reason of [null, 'worker', 'starting'] as const)
      expect(waitS(reason, null, [null], 50)).toBe(5);
  });

  it('is not known where no end of a training helps', () => {
    expect(waitS('no_host', 1, [300], 50)).toBeNull();
    expect(waitS('no_runtime', 1, [300], 50)).toBeNull();
    expect(waitS('turn', 1, [], 50)).toBeNull();
  });
});

describe('the forecast of steps', () => {
  const now = new Date('2026-11-25T12:00:00Z');
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const step = (over: Partial<ExperimentStep>): ExperimentStep => ({
    ...{ key: 'prepare', title: '', status: 'pending', progress: 0, message: '' },
    ...{ startedAt: null, finishedAt: null },
    ...over,
  });

  it('says why and where an attempt waits, when it begins and when it ends', () => {
    const found = forecastSteps([step({ status: 'running' }), step({ key: 'train' })], {
      ...{ now, reason: 'turn', queuePosition: 2, waitS: 60, typicalS: 600, running: null },
    });
    expect(found.get('prepare')).toEqual({
      ...{ reason: 'turn', queuePosition: 2, predictedStartAt: null, eta: at(60) },
    });
    expect(found.get('train')).toMatchObject({ predictedStartAt: at(60), eta: at(660) });
  });

  it('follows the progress of a training, and is silent once it has ended', () => {
    const running = training({ elapsedS: 100, ...rounds([0.25, 80], [0.5, 0]) });
    const facts = { now, reason: null, queuePosition: null, waitS: null, typicalS: 600, running };
    const train = step({ key: 'train', status: 'running', progress: 0.5, startedAt: at(-100) });
    expect(forecastSteps([train], facts).get('train')?.eta).toEqual(at(160));
    expect(forecastSteps([train], { ...facts, running: null }).get('train')?.eta).toBeNull();
    const overdue = training({ elapsedS: 700 });
    expect(forecastSteps([train], { ...facts, running: overdue }).get('train')?.eta).toBeNull();
    expect(forecastSteps([{ ...train, status: 'done' }], facts).size).toBe(0);
  });
});
