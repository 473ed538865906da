import { maskPath, runMask } from '../../shared/run-mask.ts';

/** One class with the share that the model gives it. */
export interface Score {
  readonly label: string;
  readonly score: number;
}

type Point = readonly [x: number, y: number];

/** One object as it is drawn, in pixels of the picture. */
export interface Shape extends Score {
  readonly key: number;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Corners of a box that stands askew. */
  readonly corners: readonly Point[] | null;
  /** Path of the pixels that belong to it. */
  readonly mask: string | null;
  readonly keypoints: readonly Point[];
}

/** What a model makes of one picture. */
export type Prediction =
  | {
      readonly kind: 'scores';
      readonly best: Score;
      readonly scores: readonly Score[];
      readonly id: string | null;
    }
  | { readonly kind: 'objects'; readonly shapes: readonly Shape[]; readonly id: string | null }
  | { readonly kind: 'unknown' };

/** @param answer body of an invocation with one picture; whatever a model of another kind answers is `unknown` */
export function predictionOf(answer: unknown): Prediction {
  const first = isRecord(answer) && Array.isArray(answer.predictions) ? answer.predictions[0] : undefined;
  if (!isRecord(first)) return { kind: 'unknown' };
  const id = typeof first.prediction_id === 'string' ? first.prediction_id : null;
  if (Array.isArray(first.detections))
    return {
      kind: 'objects',
      id,
      shapes: first.detections.flatMap((entry: unknown, key) => shapeOf(entry, key) ?? []),
    };
  const best = scoreOf(first);
  return best === null ? { kind: 'unknown' } : { kind: 'scores', id, best, scores: scoresOf(first, best) };
}

/** Classes with their shares, the surest first. */
function scoresOf(entry: Record<string, unknown>, best: Score): Score[] {
  if (!isRecord(entry.scores)) return [best];
  return Object.entries(entry.scores)
    .flatMap(([label, score]) => (typeof score === 'number' ? [{ label, score }] : []))
    .sort((one, other) => other.score - one.score);
}

function shapeOf(entry: unknown, key: number): Shape | null {
  if (!isRecord(entry)) return null;
  const named = scoreOf(entry);
  const [x1, y1, x2, y2] = Array.isArray(entry.box) ? entry.box.map(Number) : [];
  if (named === null || x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined)
    return null;
  if (![x1, y1, x2, y2].every(Number.isFinite)) return null;
  return {
    ...named,
    key,
    box: { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) },
    corners: Array.isArray(entry.corners) ? pointsOf(entry.corners) : null,
    mask: maskOf(entry.mask),
    keypoints: Array.isArray(entry.keypoints) ? pointsOf(entry.keypoints.filter(isSeen)) : [],
  };
}

const pointsOf = (points: readonly unknown[]): Point[] =>
  points.flatMap((point) => {
    const [x, y] = Array.isArray(point) ? point.map(Number) : [];
    return x !== undefined && y !== undefined && Number.isFinite(x) && Number.isFinite(y)
      ? [[x, y] as const]
      : [];
  });

/** A key point `[x, y, v]` with v 0 is none. */
const isSeen = (point: unknown): boolean => Array.isArray(point) && point[2] !== 0;

function scoreOf(entry: Record<string, unknown>): Score | null {
  const { label, score } = entry;
  if (typeof label !== 'string' && typeof label !== 'number') return null;
  return { label: String(label), score: typeof score === 'number' ? score : Number.NaN };
}

function maskOf(mask: unknown): string | null {
  const runs = isRecord(mask) ? runMask(mask.size, mask.counts) : null;
  return runs && maskPath(runs);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
