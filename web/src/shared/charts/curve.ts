import type { LineLook } from './line-looks';
import type { Point } from './series';

/** One line of a chart. */
export interface Curve {
  readonly id: string;
  readonly label: string;
  readonly look: LineLook;
  readonly points: readonly Point[];
}

/** The part of the x axis that charts show, where the page chooses it. */
export interface ChartRange {
  readonly domain: readonly [from: number, to: number];
  /** Somebody dragged over this part. */
  readonly onZoom: (domain: readonly [from: number, to: number]) => void;
}

/** How all charts of a page are drawn. */
export interface ChartSettings {
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly x: 'step' | 'time';
}
