import {
  type AnnotationReading,
  type Box,
  MAX_OBJECTS_OF_IMAGE,
  OBJECT_FLAGS,
  type ObjectFacts,
} from '../annotation.types.js';
import { cleanClassName, nameOfLabel, refsOfLabel, splitOf } from '../image-reference.js';
import { extentOf, isCoordinate, packObjects } from '../packed-objects.js';
import { isClassNumber, isNumber } from './yolo-number.js';

const MAX_CLASS = 100_000;
const BOX_VALUES = 4;
/** An outline of ten thousand points has less. */
const MAX_LINE_LENGTH = 256 * 1024;
/** Less than this is a box with a number too many; from here on an outline or key points. */
const LEAST_OUTLINE_VALUES = 6;

const bad = (problem: string): AnnotationReading => ({ facts: null, problem });

/**
 * A YOLO label file: a line for each object, its class number and then, in parts of the image from 0 to 1, either centre
 * and size of a box (4 numbers), an outline (pairs), four corners (8), or a box and key points. Which of them a dataset
 * holds is decided for it as a whole (`yoloTask`), so both readings of a line are kept.
 */
export function readYoloLabels(text: string, path: string): AnnotationReading {
  const objects: ObjectFacts[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    if (line.length > MAX_LINE_LENGTH)
      return bad(`line ${number} of its labels is longer than ${MAX_LINE_LENGTH} characters`);
    const words = line.trim().split(/\s+/);
    if (words[0] === '') continue;
    const object = readLine(words);
    if (typeof object === 'string') return bad(`line ${number} of its labels ${object}`);
    if (objects.length >= MAX_OBJECTS_OF_IMAGE)
      return bad(`it has more than ${MAX_OBJECTS_OF_IMAGE} objects`);
    objects.push(object);
  }
  const entry = {
    refs: refsOfLabel(path),
    name: nameOfLabel(path),
    extension: null,
    split: splitOf(path),
    width: null,
    height: null,
    objects: packObjects(objects),
  };
  return {
    facts: {
      kind: 'yolo',
      classes: [],
      keypointShape: null,
      imageCount: 1,
      objectCount: objects.length,
      orphanCount: 0,
      entries: [entry],
    },
    problem: null,
  };
}

function readLine(words: readonly string[]): ObjectFacts | string {
  const [first = '', ...rest] = words;
  if (!isClassNumber(first) || Number(first) > MAX_CLASS) return 'does not begin with a class number';
  const numbers = rest.map(toNumber);
  if (!numbers.every(isCoordinate)) return 'holds something that is not a finite number';
  if (numbers.length < BOX_VALUES) return `has ${numbers.length} numbers after the class; a box has 4`;
  if (numbers.length > BOX_VALUES && numbers.length < LEAST_OUTLINE_VALUES)
    return 'has 5 numbers after the class; a box has 4 (leave the confidence of predictions out)';
  const box = toBox(numbers);
  const isOutline = numbers.length >= LEAST_OUTLINE_VALUES;
  return {
    classId: Number.parseInt(first, 10),
    flags: isOutline ? OBJECT_FLAGS.outlineOnly : 0,
    values: numbers.length,
    box,
    hull: isOutline && numbers.length % 2 === 0 ? extentOf(numbers) : box,
  };
}

const toNumber = (word: string): number => (isNumber(word) ? Number(word) : Number.NaN);

const toBox = ([x = 0, y = 0, width = 0, height = 0]: readonly number[]): Box => [
  x - width / 2,
  y - height / 2,
  width,
  height,
];

/** Names of classes, one a line (`classes.txt`, `obj.names`). */
export function readClassNames(text: string): AnnotationReading {
  const names = text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
  if (names.length > MAX_CLASS) return bad(`it names more than ${MAX_CLASS} classes`);
  const classes = names.flatMap((name, id) => (name === '' ? [] : [{ id, name: cleanClassName(name) }]));
  return {
    facts: {
      kind: 'yolo_names',
      classes,
      keypointShape: null,
      imageCount: 0,
      objectCount: 0,
      orphanCount: 0,
      entries: [],
    },
    problem: null,
  };
}
