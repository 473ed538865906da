import type { Point } from '../../shared/charts/series';

export const MEASURES = ['cpu', 'gpu', 'mem', 'disk'] as const;
export type Measure = (typeof MEASURES)[number];

type Beat = { readonly at: string } & Readonly<Record<Measure, number | null>>;

/** What a device said of itself over time, of each measure that it has. @param beats newest first */
export function heartbeatCurves(
  beats: readonly Beat[],
): ReadonlyArray<{ readonly measure: Measure; readonly points: readonly Point[] }> {
  const rising = [...beats].reverse();
  return MEASURES.flatMap((measure) => {
    const points = rising.map((beat) => ({ x: Date.parse(beat.at) / 1000, y: beat[measure] }));
    return points.some(({ y }) => y !== null) ? [{ measure, points }] : [];
  });
}
