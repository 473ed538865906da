import type { ExperimentConfig, PlannedStep } from './experiment.types.js';

/** What an experiment goes through, in order; steps nobody asked for are not in the plan. */
export function planSteps(config: Pick<ExperimentConfig, 'register_model' | 'serving'>): PlannedStep[] {
  return [
    { key: 'prepare', title: 'Prepare data and runtime' },
    { key: 'train', title: 'Train' },
    { key: 'finalize', title: 'Store log and artifacts' },
    ...(config.register_model ? ([{ key: 'register', title: 'Register the model' }] as const) : []),
    ...(config.serving.build_image ? ([{ key: 'image', title: 'Build the model image' }] as const) : []),
    ...(config.serving.create_endpoint
      ? ([{ key: 'endpoint', title: 'Create the serving endpoint' }] as const)
      : []),
  ];
}

/**
 * Share of the whole that is done when a step begins; training fills the room between its own and the next.
 */
export const PROGRESS_AT = {
  prepare: 0,
  train: 0.05,
  finalize: 0.9,
  register: 0.95,
  image: 0.97,
  endpoint: 0.98,
} as const;

/** @param trained how far the training itself is, from 0 to 1 */
export const overallProgress = (trained: number): number =>
  PROGRESS_AT.train + (PROGRESS_AT.finalize - PROGRESS_AT.train) * trained;
