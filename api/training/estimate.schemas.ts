import type { EnvironmentOut } from './training.schemas.js';

/** What a training is expected to take. */
export interface DurationOut {
  expected_s: number;
  /** It should lie between these. */
  low_s: number;
  high_s: number;
  /** `history`: from earlier trainings of the same model in this tenant; `catalog`: from the size of the model alone. */
  basis: 'history' | 'catalog';
  /** Trainings that it was taken from. */
  samples: number;
}

export interface EstimateQueueOut {
  /** Counted from 1 among the trainings that wait; null when none would wait. */
  position: number | null;
  /** Why it would wait, as a stable code; null when it would begin at once. */
  reason: 'no_host' | 'no_runtime' | 'no_isolation' | 'memory_limit' | 'memory' | 'turn' | null;
  message: string | null;
  /** Null where it cannot be estimated. */
  predicted_start_at: string | null;
}

export interface EstimateOut {
  /** GPU slots that it asks for. */
  gpu_slots: number;
  /** GPU slots of the installation. */
  gpu_available: number;
  /** Memory of the training program at most, within a factor of two. */
  memory_bytes: number;
  /** A program that takes more is ended. */
  memory_limit_bytes: number;
  /** Images of the dataset that are read. */
  images: number;
  /** How many of these are in the training part. */
  training_images: number;
  /** Rounds over the training part. */
  epochs: number;
  duration: DurationOut;
  /** What is made before it begins, because no host has trained with its framework yet; null where nothing is. */
  environment: EnvironmentOut | null;
  /** If it were started now. */
  queue: EstimateQueueOut;
}
