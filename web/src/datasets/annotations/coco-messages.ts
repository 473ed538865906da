import type { Outline } from './drawn.types';

/** A file that is looked into. */
export interface CocoSource {
  readonly url: string;
  readonly bytes: number;
  /** Place in its list `images`. */
  readonly entry: number;
}

export interface CocoQuestion extends CocoSource {
  readonly id: number;
}

export interface CocoAnswer {
  readonly id: number;
  readonly outlines: readonly Outline[];
  readonly error: string | null;
}

/** What is read of COCO files and kept. More would take the tab's memory. */
export const MAX_COCO_BYTES = 160 * 1024 * 1024;
