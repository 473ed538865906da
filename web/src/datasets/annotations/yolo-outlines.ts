import { NO_OUTLINE, type Outline } from './drawn.types';

/** What a line of a label file holds besides a box, as the validation understood it. */
export interface LineForm {
  readonly has_outline: boolean;
  readonly has_keypoints: boolean;
}

/**
 * Outlines and key points of the lines of a YOLO label file, in its order.
 * @param formOf the line at this place
 * @param shape points of an object and numbers of a point, where the dataset states them
 */
export function yoloOutlines(
  text: string,
  formOf: (at: number) => LineForm | undefined,
  { width, height }: { readonly width: number; readonly height: number },
  shape: readonly number[] | null,
): Outline[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.map((line, at) => {
    const form = formOf(at);
    const numbers = line.split(/\s+/).slice(1).map(Number);
    if (form === undefined || !numbers.every(Number.isFinite)) return NO_OUTLINE;
    if (form.has_keypoints)
      return { ...NO_OUTLINE, points: pointsOf(numbers.slice(4), stepOf(numbers, shape), width, height) };
    if (!form.has_outline) return NO_OUTLINE;
    return { ...NO_OUTLINE, polygons: [numbers.map((value, at) => value * (at % 2 === 0 ? width : height))] };
  });
}

/** Numbers of a point. */
const stepOf = (numbers: readonly number[], shape: readonly number[] | null): number => {
  const [points = 0, step = 3] = shape ?? [];
  return numbers.length === 4 + points * step ? step : 3;
};

function pointsOf(
  numbers: readonly number[],
  step: number,
  width: number,
  height: number,
): Outline['points'] {
  const points: Array<readonly [number, number, boolean] | null> = [];
  for (let at = 0; at + step <= numbers.length; at += step) {
    const [x = 0, y = 0, seen = 2] = numbers.slice(at, at + step);
    points.push(seen > 0 && (x !== 0 || y !== 0) ? [x * width, y * height, seen > 1] : null);
  }
  return points;
}
