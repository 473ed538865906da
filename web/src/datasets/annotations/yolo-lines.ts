import { type Drawing, type Drawn, plainObject } from './drawn.types';

/** What the lines of a dataset's label files hold besides boxes. */
export type YoloKind = 'boxes' | 'outlines' | 'points';

/** Objects of a YOLO label file. @param names of classes by number; null: unknown @param width of the upright picture */
export function drawYolo(
  text: string,
  kind: YoloKind,
  names: ReadonlyMap<number, string> | null,
  width: number,
  height: number,
  values: 2 | 3 | null = null,
): Drawing {
  const objects = text.split('\n').flatMap((line): Drawn[] => {
    const words = line.trim().split(/\s+/);
    const numbers = words.slice(1).map(Number);
    if (numbers.length < 4 || !numbers.every(Number.isFinite)) return [];
    const id = Number(words[0]);
    const label = names === null ? String(id) : (names.get(id) ?? null);
    return [drawLine(label, kind, numbers, width, height, values)];
  });
  return { objects, width, height, isWhole: true };
}

function drawLine(
  label: string | null,
  kind: YoloKind,
  numbers: readonly number[],
  width: number,
  height: number,
  values: 2 | 3 | null,
): Drawn {
  if (kind === 'outlines' && numbers.length >= 6 && numbers.length % 2 === 0) {
    const polygon = numbers.map((value, at) => value * (at % 2 === 0 ? width : height));
    const xs = polygon.filter((_, at) => at % 2 === 0);
    const ys = polygon.filter((_, at) => at % 2 === 1);
    const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const;
    return { ...plainObject(label, box), polygons: [polygon] };
  }
  const [x = 0, y = 0, w = 0, h = 0, ...rest] = numbers;
  const box = [(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height] as const;
  const points =
    kind === 'points' ? pointsOf(rest, values ?? (rest.length % 3 === 0 ? 3 : 2), width, height) : [];
  return { ...plainObject(label, box), points };
}

function pointsOf(numbers: readonly number[], step: 2 | 3, width: number, height: number): Drawn['points'] {
  const points: Array<readonly [number, number, boolean] | null> = [];
  for (let at = 0; at + step <= numbers.length; at += step) {
    const [x = 0, y = 0, seen = 2] = numbers.slice(at, at + step);
    points.push(seen > 0 && (x !== 0 || y !== 0) ? [x * width, y * height, seen > 1] : null);
  }
  return points;
}

/**
 * Names of classes in a `data.yaml`, where `names` is a list or a map of plain words; other YAML is left to the platform, whose
 * preview has the names too.
 */
export function yoloNames(yaml: string): Map<number, string> | null {
  const lines = yaml.split('\n');
  const at = lines.findIndex((line) => /^names\s*:/.test(line));
  if (at < 0) return null;
  const inline = (lines[at] ?? '').replace(/^names\s*:\s*/, '').trim();
  const names = new Map<number, string>();
  if (inline.startsWith('[') && inline.endsWith(']')) {
    for (const [id, name] of inline.slice(1, -1).split(',').entries()) names.set(id, unquoted(name));
    return names;
  }
  if (inline !== '' && !inline.startsWith('#')) return null;
  for (const line of lines.slice(at + 1)) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const pair = /^\s+(\d+)\s*:\s*(.+)$/.exec(line);
    const item = /^\s*-\s+(.+)$/.exec(line);
    if (pair) names.set(Number(pair[1]), unquoted(pair[2] ?? ''));
    else if (item) names.set(names.size, unquoted(item[1] ?? ''));
    else break;
  }
  return names.size > 0 ? names : null;
}

const unquoted = (word: string): string => word.trim().replace(/^(['"])(.*)\1$/, '$2');

/** Where the label file of a picture may lie: `images` replaced by `labels`, or beside it. */
export function labelPaths(imagePath: string): string[] {
  const base = imagePath.replace(/\.[^./]+$/, '');
  const parts = base.split('/');
  const at = parts.lastIndexOf('images', parts.length - 2);
  const beside = at < 0 ? [] : [[...parts.slice(0, at), 'labels', ...parts.slice(at + 1)].join('/')];
  return [...beside, base].map((path) => `${path}.txt`);
}
