import type { RunMask } from '../../shared/run-mask';

/** What an annotation file has of an object besides its box; all in pixels of the upright picture. */
export interface Outline {
  /** Each a list of x, y, x, y, ... */
  readonly polygons: ReadonlyArray<readonly number[]>;
  /** Pixels of a mask as runs; drawn as one path. */
  readonly mask: RunMask | null;
  /** Points that are marked; those that are not are null, so that the skeleton's numbers hold. */
  readonly points: ReadonlyArray<readonly [x: number, y: number, isVisible: boolean] | null>;
  /** Pairs of places in `points`, from 0. */
  readonly skeleton: ReadonlyArray<readonly [number, number]>;
}

/** An object of a picture, as it is drawn over it. */
export interface Drawn extends Outline {
  /** Null for a class that nothing names. */
  readonly label: string | null;
  /** Left, top, right, bottom. */
  readonly box: readonly [number, number, number, number];
  readonly isCrowd: boolean;
  /** Its only polygon is the box itself, which does not stand upright. */
  readonly isTurned: boolean;
}

/** The objects of one picture. */
export interface Drawing {
  readonly objects: readonly Drawn[];
  /** Also those that are not among `objects`. */
  readonly total: number;
  /** The upright picture; null: the platform does not know it. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** False where outlines and key points are known to be there but were not read. */
  readonly isWhole: boolean;
}

export const NO_OUTLINE: Outline = { polygons: [], mask: null, points: [], skeleton: [] };
