import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseKeyRing } from '../../../core/security/key-ring.js';
import type { ExperimentRow } from '../../../models/training/experiment.queries.js';
import { jobSpec } from '../../../models/training/jobs/job-spec.js';

const keys = parseKeyRing(`k:${randomBytes(32).toString('base64')}`);
const configOf = (hyperparameters: string) => {
  const experiment = {
    ...{ tenantId: 't', id: 'e', attempt: 1, trackerRunId: 'r', framework: 'sklearn', weights: null },
    config: { task: 'classification', model: 'mlp', pretrained: { enabled: false }, hyperparameters },
  } as unknown as ExperimentRow;
  const { spec } = jobSpec(experiment, null, {
    ...{ apiUrl: 'http://api', keys, memoryBytes: 1, timeoutS: null, patienceS: 1 },
  });
  const text = spec.kind === 'job' && spec.files.find(({ path }) => path === 'config.json')?.content;
  return JSON.parse(text as string) as { hyperparameters: unknown };
};

describe('the job of a training', () => {
  it('is given the hyperparameters that were checked, and no text that another YAML reads otherwise', () => {
    const text = 'learning_rate: 1e-3\nalpha: 1E5\nepochs: 10.0\nseed: 010\nweights: yes\ngrayscale: true';
    expect(configOf(text).hyperparameters).toEqual({
      ...{ learning_rate: 0.001, alpha: 100_000, epochs: 10, seed: 10, weights: 'yes', grayscale: true },
    });
    expect(configOf('').hyperparameters).toEqual({});
  });

  it('is given what cannot be read as it is', () => {
    expect(configOf('a: [').hyperparameters).toBe('a: [');
  });
});
