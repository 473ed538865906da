import type { FrameworkEntry } from '../catalog/catalog.types.js';

/** How much there is to train, in figures that its duration and its memory depend on. */
export interface TrainingSize {
  /** Images of the dataset that are read. */
  readonly images: number;
  /** The images of the training part. */
  readonly trained: number;
  /** Rounds over the training part. */
  readonly rounds: number;
  /** Images at once. */
  readonly batch: number;
  /** Side of an image in pixels. */
  readonly imageSize: number;
  /** Learned numbers in millions. */
  readonly parametersM: number;
}

/** Seconds that something takes: most likely, and between what it should lie. */
export interface DurationEstimate {
  readonly expectedS: number;
  readonly lowS: number;
  readonly highS: number;
  /** `history`: from trainings of the same model in this tenant; `catalog`: from the size of the model alone. */
  readonly basis: 'history' | 'catalog';
  /** Trainings that it was taken from. */
  readonly samples: number;
}

/** A training that ended well. */
export interface PastTraining {
  readonly size: TrainingSize;
  readonly seconds: number;
}

/** From the start of the program to the first round. */
const STARTUP_S = 10;
/** A million parameters over one image of 224 x 224 pixels, forward and back, on two processor cores. */
const SECONDS_PER_UNIT = 0.015;
/** Machines and models differ by this factor from what the catalog says. */
const CATALOG_RANGE = 5;
/** The next training may differ by this factor from a few earlier ones. */
const HISTORY_RANGE = 1.5;
/** A model that counts no parameters learns something all the same. */
const LEAST_PARAMETERS_M = 0.01;
const UNIT_SIDE = 224;

const unitsOf = ({ trained, rounds, imageSize, parametersM }: TrainingSize): number =>
  Math.max(1, trained) * rounds * (imageSize / UNIT_SIDE) ** 2 * Math.max(LEAST_PARAMETERS_M, parametersM);

/** @param past newest first; empty: nothing of the kind was trained here yet */
export function estimateDuration(size: TrainingSize, past: readonly PastTraining[]): DurationEstimate {
  const units = unitsOf(size);
  if (past.length === 0) {
    const trainS = units * SECONDS_PER_UNIT;
    return {
      expectedS: STARTUP_S + trainS,
      lowS: STARTUP_S / 2 + trainS / CATALOG_RANGE,
      highS: STARTUP_S * 2 + trainS * CATALOG_RANGE,
      basis: 'catalog',
      samples: 0,
    };
  }
  // Above the start, which does not grow with the work.
  const rates = past
    .map((one) => Math.max(0, one.seconds - STARTUP_S) / unitsOf(one.size))
    .sort((a, b) => a - b);
  const starts = past.map(({ seconds }) => Math.min(seconds, STARTUP_S)).sort((a, b) => a - b);
  const at = (rate: number): number => median(starts) + rate * units;
  const [least, most] = [rates[0] as number, rates.at(-1) as number];
  return {
    expectedS: at(median(rates)),
    lowS: at(least) / (past.length < 3 ? HISTORY_RANGE : 1),
    highS: at(most) * (past.length < 3 ? HISTORY_RANGE : 1),
    basis: 'history',
    samples: past.length,
  };
}

const median = (sorted: readonly number[]): number => sorted[Math.floor((sorted.length - 1) / 2)] as number;

const MB = 1e6;
/** Program and libraries before any image is read. */
const BASE_BYTES = { network: 600 * MB, table: 250 * MB } as const;
/** Weights, gradients, two moments of the optimizer, the best network so far, and a checkpoint while it is written. */
const BYTES_PER_PARAMETER = 32;
/** What a pixel of a batch leaves in the layers that are kept for the way back. */
const BYTES_PER_PIXEL = 1000;
/** The runtimes keep no more decoded images than this. */
const CACHE_BYTES = 512 * 2 ** 20;
/** An estimator keeps all pixels as numbers of 8 bytes, and copies of them. */
const COPIES_OF_TABLE = 3;

/** Bytes of memory that the training program will take at most, roughly: within a factor of two. */
export function estimateMemory(
  { images, batch, imageSize, parametersM }: TrainingSize,
  { usesGpu }: Pick<FrameworkEntry, 'usesGpu'>,
): number {
  const pixels = imageSize ** 2;
  if (!usesGpu) return BASE_BYTES.table + images * pixels * 8 * COPIES_OF_TABLE;
  return (
    BASE_BYTES.network +
    parametersM * 1e6 * BYTES_PER_PARAMETER +
    batch * pixels * BYTES_PER_PIXEL +
    Math.min(CACHE_BYTES, images * 3 * pixels)
  );
}
