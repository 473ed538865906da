import type { LineLook } from './line-looks';
import type { Point } from './series';

/** One line of a chart. */
export interface Curve {
  readonly id: string;
  readonly label: string;
  readonly look: LineLook;
  readonly points: readonly Point[];
}

/** How all charts of a page are drawn. */
export interface ChartSettings {
  readonly smoothing: number;
  readonly isLog: boolean;
  readonly x: 'step' | 'time';
}
