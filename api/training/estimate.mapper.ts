import type { EstimateOut } from './estimate.schemas.js';
import { toEnvironmentOut } from './training.mapper.js';
import type { Estimate } from './forecast.service.js';

/** Nobody waits for tenths of a second. */
const seconds = (value: number): number => Math.max(1, Math.round(value));

export const toEstimateOut = (found: Estimate): EstimateOut => ({
  gpu_slots: found.config.gpu,
  gpu_available: found.gpuSlots,
  memory_bytes: Math.round(found.memoryBytes),
  memory_limit_bytes: found.memoryLimitBytes,
  images: found.size.images,
  training_images: found.size.trained,
  epochs: found.size.rounds,
  duration: {
    expected_s: seconds(found.duration.expectedS),
    low_s: seconds(found.duration.lowS),
    high_s: seconds(found.duration.highS),
    basis: found.duration.basis,
    samples: found.duration.samples,
  },
  environment: toEnvironmentOut(found.environment),
  queue: {
    position: found.queue.code === null ? null : found.queue.position,
    reason: found.queue.code,
    message: found.queue.reason,
    predicted_start_at: found.waitS === null ? null : new Date(Date.now() + found.waitS * 1000).toISOString(),
  },
});
