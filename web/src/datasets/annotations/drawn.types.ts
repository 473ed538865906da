import type { RunMask } from '../../shared/run-mask';

/** An object of a picture, as it is drawn over it; all in pixels of the upright picture. */
export interface Drawn {
  /** Null for a class that nothing names. */
  readonly label: string | null;
  /** Left, top, right, bottom. */
  readonly box: readonly [number, number, number, number] | null;
  /** Each a list of x, y, x, y, ... */
  readonly polygons: ReadonlyArray<readonly number[]>;
  /** Pixels of a mask as runs; drawn as one path. */
  readonly mask: RunMask | null;
  /** Points that are marked; those that are not are null, so that the skeleton's numbers hold. */
  readonly points: ReadonlyArray<readonly [x: number, y: number, isVisible: boolean] | null>;
  /** Pairs of places in `points`, from 0. */
  readonly skeleton: ReadonlyArray<readonly [number, number]>;
  readonly isCrowd: boolean;
}

/** Objects of one picture and the size that their numbers speak of; null: the picture's own. */
export interface Drawing {
  readonly objects: readonly Drawn[];
  readonly width: number | null;
  readonly height: number | null;
  /** False where outlines and key points are known to be there but were not given. */
  readonly isWhole: boolean;
}

export const plainObject = (label: string | null, box: Drawn['box']): Drawn => ({
  label,
  box,
  polygons: [],
  mask: null,
  points: [],
  skeleton: [],
  isCrowd: false,
});
