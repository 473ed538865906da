import type { Split } from './annotation.types.js';

/** A map, because any word may be asked for: objects know `constructor`. */
const SPLITS: ReadonlyMap<string, Split> = new Map([
  ['train', 'train'],
  ['training', 'train'],
  ['val', 'val'],
  ['valid', 'val'],
  ['validation', 'val'],
  ['test', 'test'],
  ['testing', 'test'],
]);
const MAX_REF = 512;

/** The part of a dataset that a word such as `train`, `valid` or `val2017` names. */
export const splitOfWord = (word: string): Split | null =>
  SPLITS.get(word.toLowerCase().replace(/[-_]?\d{4}$/, '')) ?? null;

/** The part that the folders of a path name; the first one counts. */
export function splitOf(path: string): Split | null {
  const folders = path.split('/').slice(0, -1);
  for (const folder of folders) {
    const split = splitOfWord(folder);
    if (split !== null) return split;
  }
  return null;
}

/** The part that a file's folders or its own name speak of: `instances_val2017.json`, `valid/_annotations.coco.json`. */
export function splitOfFile(path: string): Split | null {
  const inside = splitOf(path);
  if (inside !== null) return inside;
  for (const word of nameOf(path).split(/[._-]/)) {
    const split = splitOfWord(word);
    if (split !== null) return split;
  }
  return null;
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** `a/b.tar.gz` is `a/b.tar` and `gz`; names that begin with a dot have no extension. */
export function splitExtension(path: string): { base: string; extension: string } {
  const at = path.lastIndexOf('.');
  return at > path.lastIndexOf('/') + 1
    ? { base: path.slice(0, at), extension: path.slice(at + 1) }
    : { base: path, extension: '' };
}

/** Text from inside a file as the database can hold it: without control characters and halves of characters. */
export const cleanText = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f]/g, '?').replace(/\p{Surrogate}/gu, '?');

/** A cut text keeps the whole it was cut from in memory; its copy does not. Halves of characters become `\ufffd`. */
const ownText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

const MAX_CLASS_NAME = 200;
export const cleanClassName = (name: string): string => ownText(cleanText(name).slice(0, MAX_CLASS_NAME));

/** A name from inside a file as a path of the dataset: `\` becomes `/`, `./` and drives go; never opened, only compared. */
export function referencedPath(name: string): string {
  const plain = cleanText(name)
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^[A-Za-z]:/, '');
  const path = plain
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
  return path.length <= MAX_REF ? path : ownText(path.slice(-MAX_REF));
}

/** Where the image of a YOLO label file may lie: `labels` replaced by `images`, or beside it. */
export function refsOfLabel(labelPath: string): string[] {
  const { base } = splitExtension(labelPath);
  const parts = base.split('/');
  const at = parts.lastIndexOf('labels', parts.length - 2);
  const beside =
    at < 0
      ? []
      : [
          [...parts.slice(0, at), 'images', ...parts.slice(at + 1)].join('/'),
          [...parts.slice(0, at), ...parts.slice(at + 1)].join('/'),
        ];
  return [...new Set([...beside, base])];
}

/** The path of a label file below its `labels` folder, or its bare name: what its image should end with. */
export function nameOfLabel(labelPath: string): string {
  const parts = splitExtension(labelPath).base.split('/');
  const at = parts.lastIndexOf('labels', parts.length - 2);
  return at < 0 ? (parts.at(-1) as string) : parts.slice(at + 1).join('/');
}

/** Where an image that a COCO or VOC file names may lie: from the root, beside the file, or in an image folder next to it. */
export function refsOfNamed(annotationPath: string, imagePath: string): string[] {
  const { base } = splitExtension(imagePath);
  const folder = folderOf(annotationPath);
  const above = folderOf(folder);
  const split = splitOfFile(annotationPath);
  const places = [inFolder(folder, base), base, inFolder(above, base)];
  for (const root of new Set([folder, above])) {
    for (const images of ['images', 'JPEGImages', 'data']) {
      if (split !== null) places.push(inFolder(root, `${images}/${split}/${base}`));
      places.push(inFolder(root, `${images}/${base}`));
    }
  }
  return [...new Set(places)].slice(0, 16);
}
