import { useMemo } from 'react';
import type { Schemas } from '../../api/client';
import { ChartCard } from '../../shared/charts/chart-card';
import { OVER_TIME } from '../../shared/charts/over-time';
import { text } from '../../text';
import { performanceCurves } from './performance-curves';

const words = text.models.performance;

interface PerformanceChartProps {
  readonly name: string;
  readonly points: ReadonlyArray<Schemas['PerformancePointOut']>;
  readonly threshold: number | null;
}

/** Share of right predictions over time, one curve for each version; the table below it says the same. */
export function PerformanceChart({ name, points, threshold }: PerformanceChartProps) {
  const curves = useMemo(
    () => performanceCurves(points, threshold, { version: text.models.version, threshold: words.threshold }),
    [points, threshold],
  );
  return <ChartCard title={words.chart} curves={curves} settings={OVER_TIME} syncKey={`model ${name}`} />;
}
