import { describe, expect, it } from '@jest/globals';
import {
  estimateDuration,
  estimateMemory,
  type TrainingSize,
} from '../../../models/training/forecast/estimate.rules.js';
import { forecastSteps, remainingS, waitS } from '../../../models/training/forecast/forecast.rules.js';
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

describe('the wait for a training', () => {
  it('is that for the end of another one, by what remains of it', () => {
    expect(remainingS({ progress: 0.25, elapsedS: 100 }, 999)).toBe(300);
    expect(remainingS({ progress: 0, elapsedS: 100 }, 250)).toBe(150);
    expect(remainingS({ progress: 0, elapsedS: null }, 250)).toBe(250);
    expect(waitS('turn', 1, [300, 100], 50)).toBe(105);
    expect(waitS('turn', 2, [300, 100], 50)).toBe(305);
    expect(waitS('memory', 3, [300, 100], 50)).toBe(155);
    expect(waitS('starting', null, [], 50)).toBe(5);
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
      ...{ now, reason: 'turn', queuePosition: 2, waitS: 60, typicalS: 600 },
    });
    expect(found.get('prepare')).toEqual({
      ...{ reason: 'turn', queuePosition: 2, predictedStartAt: null, eta: at(60) },
    });
    expect(found.get('train')).toMatchObject({ predictedStartAt: at(60), eta: at(660) });
  });

  it('follows the progress of a training, and is silent once it has ended', () => {
    const facts = { now, reason: null, queuePosition: null, waitS: null, typicalS: 600 };
    const train = step({ key: 'train', status: 'running', progress: 0.5, startedAt: at(-100) });
    expect(forecastSteps([train], facts).get('train')?.eta).toEqual(at(100));
    expect(forecastSteps([{ ...train, status: 'done' }], facts).size).toBe(0);
  });
});
