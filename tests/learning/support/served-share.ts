import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { maskOverlap, painted } from './masks.js';
import { type Truth, truthOfTest } from './scenes.js';

/** What a server says of an image. */
export interface Answer {
  readonly label?: string;
  readonly detections?: readonly Truth[];
}

/** What the test part shows, by path of the image, in the shape of an answer. */
export function truths(task: string, scenes: string): Map<string, Answer> {
  if (task !== 'classification')
    return new Map([...truthOfTest(scenes)].map(([path, detections]) => [path, { detections }]));
  const folder = join(scenes, 'test');
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.png'),
  );
  return new Map(names.map((name) => [join(folder, name), { label: basename(dirname(name)) }]));
}

/** The share of what images show that answers to them find: images of classification and segmentation, otherwise objects. */
export function foundShare(task: string, shown: readonly Answer[], answers: readonly Answer[]): number {
  const shares = shown.map((truth, at) => {
    const answer = answers[at] ?? {};
    if (task === 'classification') return Number(answer.label === truth.label);
    const [objects = [], found = []] = [truth.detections, answer.detections];
    if (task === 'semantic_segmentation') return Number(regionOverlap(objects, found) >= LEAST_OVERLAP);
    const isFound = (object: Truth) =>
      found.some((one) => one.label === object.label && isSame(task, one, object));
    return objects.filter(isFound).length / Math.max(1, objects.length);
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The share that the best answer finds that is the same for every image: any image's own truth. */
export function constantShare(task: string, shown: readonly Answer[]): number {
  return Math.max(...shown.map((one) => foundShare(task, shown, Array(shown.length).fill(one))));
}

const LEAST_OVERLAP = 0.5;
/** How far a key point may be off, in parts of the object's longer side. */
const MOST_OFF = 0.2;

/** By what the task is about: boxes, masks, or boxes with each of their key points. */
function isSame(task: string, found: Truth, truth: Truth): boolean {
  if (task === 'instance_segmentation') return regionOverlap([truth], [found]) >= LEAST_OVERLAP;
  if (overlap(found.box, truth.box) < LEAST_OVERLAP) return false;
  if (task !== 'pose') return true;
  const [left, top, right, bottom] = truth.box;
  const most = MOST_OFF * Math.max(right - left, bottom - top);
  return (truth.keypoints ?? []).every(([x, y], at) => {
    const [ownX = Infinity, ownY = Infinity] = found.keypoints?.[at] ?? [];
    return Math.hypot(ownX - x, ownY - y) <= most;
  });
}

function regionOverlap(one: readonly Truth[], other: readonly Truth[]): number {
  const masks = (objects: readonly Truth[]) => objects.flatMap(({ mask }) => mask ?? []);
  const size = masks(one)[0]?.size ?? [0, 0];
  return maskOverlap(painted(masks(one), size), painted(masks(other), size));
}

/** Intersection over union of two boxes. */
function overlap(one: Truth['box'], other: Truth['box']): number {
  const area = ([left, top, right, bottom]: Truth['box']) =>
    Math.max(0, right - left) * Math.max(0, bottom - top);
  const common = area([
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]);
  return common / Math.max(1e-9, area(one) + area(other) - common);
}
