import { type Document, parseDocument, visit } from 'yaml';
import { type AnnotationClass, type AnnotationReading, MAX_CLASSES } from '../annotation.types.js';
import { exceededBy } from '../../yaml/yaml-depth.js';
import { cleanClassName } from '../image-reference.js';
import { partFolders } from './yolo-parts.js';

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 20;
const bad = (problem: string): AnnotationReading => ({ facts: null, problem });

/** A YOLO `data.yaml`: names of classes by number, or their count alone, and the shape of key points. Aliases, custom tags and deep nesting are refused. */
export function readYoloConfig(text: string): AnnotationReading {
  if (Buffer.byteLength(text) > MAX_BYTES) return bad(`its YAML is larger than ${MAX_BYTES} bytes`);
  if (exceededBy(text, { depth: MAX_DEPTH }) !== null)
    return bad(`its YAML is nested deeper than ${MAX_DEPTH} levels`);
  return readDocument(
    parseDocument(text, { schema: 'core', uniqueKeys: false, logLevel: 'error', prettyErrors: false }),
  );
}

function readDocument(document: Document.Parsed): AnnotationReading {
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong) return bad(`its YAML cannot be read (${wrong.message.split('\n')[0]?.slice(0, 120) ?? ''})`);
  let problem: string | null = null;
  visit(document, {
    Alias: () => {
      problem = 'its YAML uses aliases, which are not allowed';
      return visit.BREAK;
    },
  });
  if (problem !== null) return bad(problem);
  return read(document.toJS() as unknown);
}

function read(root: unknown): AnnotationReading {
  if (typeof root !== 'object' || root === null) return bad('its YAML is not a map');
  const { names, nc, kpt_shape: shape } = root as Record<string, unknown>;
  const classes = names === undefined && nc !== undefined ? countedClasses(nc) : classesOf(names);
  if (typeof classes === 'string') return bad(classes);
  if (typeof nc === 'number' && classes.length > 0 && nc !== classes.length)
    return bad(`it says nc: ${nc} and names ${classes.length} classes`);
  const isShape =
    Array.isArray(shape) &&
    shape.length === 2 &&
    shape.every((n) => Number.isInteger(n) && n > 0 && n <= 1000) &&
    (shape[1] === 2 || shape[1] === 3);
  if (shape !== undefined && !isShape) return bad('its kpt_shape is not [points, 2 or 3]');
  const keypointShape = isShape ? (shape as [number, number]) : null;
  return {
    facts: {
      kind: 'yolo_config',
      classes,
      keypointShape,
      partFolders: partFolders(root as Record<string, unknown>),
      imageCount: 0,
      objectCount: 0,
      orphanCount: 0,
      entries: [],
    },
    problem: null,
  };
}

/** Classes that are only counted are named as Ultralytics does. */
function countedClasses(nc: unknown): AnnotationClass[] | string {
  if (typeof nc !== 'number' || !Number.isInteger(nc) || nc < 1 || nc > MAX_CLASSES)
    return `its nc is not a whole number from 1 to ${MAX_CLASSES}`;
  return Array.from({ length: nc }, (_, id) => ({ id, name: `class_${id}` }));
}

/** Names are a list, or a map from numbers. */
function classesOf(names: unknown): AnnotationClass[] | string {
  if (names === undefined || names === null) return [];
  if (typeof names !== 'object') return 'its names are neither a list nor a map';
  const entries = Array.isArray(names)
    ? names.map((name, id) => [String(id), name] as const)
    : Object.entries(names);
  if (entries.length > MAX_CLASSES) return `it names more than ${MAX_CLASSES} classes`;
  const classes: AnnotationClass[] = [];
  for (const [id, name] of entries) {
    if (!/^\d{1,6}$/.test(id)) return 'its names have a key that is no class number';
    if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'boolean')
      return 'one of its names is no text';
    classes.push({ id: Number(id), name: cleanClassName(String(name)) });
  }
  return classes;
}
