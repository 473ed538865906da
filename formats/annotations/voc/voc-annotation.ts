import {
  type AnnotationClass,
  type AnnotationReading,
  OBJECT_FLAGS,
  type ObjectFacts,
} from '../annotation.types.js';
import {
  cleanClassName,
  nameOf,
  referencedPath,
  refsOfNamed,
  splitExtension,
  splitOf,
} from '../image-reference.js';
import { isCoordinate, packObjects } from '../packed-objects.js';
import { readPlainXml, type XmlElement } from '../../xml/plain-xml.js';

const bad = (problem: string): AnnotationReading => ({ facts: null, problem });
const child = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((one) => one.name === name);
const textOf = (element: XmlElement | undefined, name: string): string =>
  element ? (child(element, name)?.text.trim() ?? '') : '';
const sizeOf = (text: string): number | null =>
  /^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : null;

/** A Pascal VOC file: one image and its boxes, in pixels counted from 1. Classes are numbered as they appear. */
export function readVoc(text: string, path: string): AnnotationReading {
  const { root, problem } = readPlainXml(text);
  if (root === null) return bad(problem);
  if (root.name !== 'annotation') return bad('its XML is not a Pascal VOC annotation');
  const ids = new Map<string, number>();
  const objects: ObjectFacts[] = [];
  for (const element of root.children) {
    if (element.name !== 'object') continue;
    const object = readObject(element, ids);
    if (typeof object === 'string') return bad(`object ${objects.length + 1} of its annotation ${object}`);
    objects.push(object);
  }
  const size = child(root, 'size');
  // A file without a name speaks of the image of its own name.
  const image = referencedPath(textOf(root, 'filename')) || splitExtension(nameOf(path)).base;
  const { base, extension } = splitExtension(image);
  const entry = {
    refs: [...new Set([...refsInPlaceOf(path, image), ...refsOfNamed(path, image)])],
    name: base,
    extension: extension === '' ? null : extension,
    split: splitOf(path),
    width: sizeOf(textOf(size, 'width')),
    height: sizeOf(textOf(size, 'height')),
    objects: packObjects(objects),
  };
  const classes: AnnotationClass[] = [...ids].map(([name, id]) => ({ id, name }));
  return {
    facts: {
      kind: 'voc',
      classes,
      keypointShape: null,
      imageCount: 1,
      objectCount: objects.length,
      orphanCount: 0,
      entries: [entry],
    },
    problem: null,
  };
}

/** `x/Annotations/y/1.xml` speaks of `x/JPEGImages/y/1` or `x/images/y/1`. */
function refsInPlaceOf(path: string, image: string): string[] {
  const parts = path.split('/').slice(0, -1);
  const at = parts.findLastIndex((part) => part.toLowerCase() === 'annotations');
  if (at < 0) return [];
  const name = nameOf(splitExtension(image).base);
  return ['JPEGImages', 'images'].map((folder) =>
    [...parts.slice(0, at), folder, ...parts.slice(at + 1), name].join('/'),
  );
}

function readObject(element: XmlElement, ids: Map<string, number>): ObjectFacts | string {
  const name = cleanClassName(textOf(element, 'name'));
  if (name === '') return 'has no name';
  const bounds = child(element, 'bndbox');
  const [left, top, right, bottom] = ['xmin', 'ymin', 'xmax', 'ymax'].map((side) =>
    Number(textOf(bounds, side) || Number.NaN),
  );
  if (![left, top, right, bottom].every(isCoordinate)) return 'has no box of four finite numbers';
  const classId = ids.get(name) ?? ids.size;
  ids.set(name, classId);
  const box = [
    left as number,
    top as number,
    (right as number) - (left as number),
    (bottom as number) - (top as number),
  ] as const;
  return { classId, flags: child(element, 'polygon') ? OBJECT_FLAGS.polygon : 0, values: 0, box, hull: box };
}
