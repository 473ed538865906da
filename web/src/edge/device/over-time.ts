import type { ChartSettings } from '../../shared/charts/curve';

/** How charts of a device are drawn: as they are, over time. */
export const OVER_TIME: ChartSettings = { smoothing: 0, isLog: false, x: 'time' };
