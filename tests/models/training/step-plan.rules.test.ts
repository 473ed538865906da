import { describe, expect, it } from '@jest/globals';
import { overallProgress, planSteps } from '../../../models/training/step-plan.rules.js';

const serving = { build_image: false, create_endpoint: false, endpoint_name: null, replicas: 1, gpu: 0 };

describe('the steps of a training', () => {
  it('are only those that were asked for', () => {
    expect(planSteps({ register_model: false, serving }).map((step) => step.key)).toEqual([
      'prepare',
      'train',
      'finalize',
    ]);
    expect(
      planSteps({
        register_model: true,
        serving: { ...serving, build_image: true, create_endpoint: true },
      }).map((step) => step.key),
    ).toEqual(['prepare', 'train', 'finalize', 'register', 'image', 'endpoint']);
  });

  it('measure progress from start to end', () => {
    expect([overallProgress(0), overallProgress(1)]).toEqual([0.05, 0.9]);
  });
});
