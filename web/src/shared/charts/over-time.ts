import type { ChartSettings } from './curve';

/** How charts of what goes on are drawn: as it is, over time. */
export const OVER_TIME: ChartSettings = { smoothing: 0, isLog: false, x: 'time' };
