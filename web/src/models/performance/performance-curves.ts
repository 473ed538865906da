import type { Curve } from '../../shared/charts/curve';
import { lineLook } from '../../shared/charts/line-looks';
import type { Point } from '../../shared/charts/series';

interface Judged {
  readonly at: string;
  readonly version: number;
  readonly accuracy: number;
}

interface Words {
  readonly version: (version: number) => string;
  readonly threshold: string;
}

/** Grey, in dashes: no version looks like it. */
const OF_THRESHOLD = { ...lineLook(7), dash: [4, 4] };

/** A curve for each version, and the threshold from the first point in time to the last. */
export function performanceCurves(
  judged: readonly Judged[],
  threshold: number | null,
  words: Words,
): readonly Curve[] {
  const points = judged
    .map(({ at, version, accuracy }) => ({ version, x: Date.parse(at) / 1000, y: accuracy }))
    .sort((a, b) => a.x - b.x);
  const versions = [...new Set(points.map(({ version }) => version))].sort((a, b) => a - b);
  const curves = versions.map((version, place) => ({
    id: String(version),
    label: words.version(version),
    look: lineLook(place),
    points: points.filter((point) => point.version === version).map(({ x, y }): Point => ({ x, y })),
  }));
  if (threshold === null || points.length === 0) return curves;
  const ends = [...new Set([points[0]?.x ?? 0, points.at(-1)?.x ?? 0])];
  const line = ends.map((x) => ({ x, y: threshold }));
  return [...curves, { id: 'threshold', label: words.threshold, look: OF_THRESHOLD, points: line }];
}
