import type { PartFolder, Split } from '../annotation.types.js';
import { folderOf, referencedPath } from '../image-reference.js';

/** About the dataset as a whole; becomes a warning of its validation. */
interface PartFinding {
  readonly code: string;
  readonly message: string;
  readonly file_id?: string | null;
}

const MAX_FOLDERS = 20;
const PARTS = [
  ['train', 'train'],
  ['val', 'val'],
  ['valid', 'val'],
  ['validation', 'val'],
  ['test', 'test'],
] as const;

/**
 * The folders, or lists of images (`train.txt`), that the keys `train`, `val` and `test` of a YOLO configuration name, alone
 * and below its `path`: the dataset may have been uploaded from either.
 * @param root the parsed configuration
 */
export function partFolders(root: Readonly<Record<string, unknown>>): PartFolder[] {
  const base = typeof root.path === 'string' ? root.path : '';
  const folders: PartFolder[] = [];
  for (const [key, split] of PARTS) {
    const value = root[key];
    const named = (Array.isArray(value) ? value : [value])
      .filter((one) => typeof one === 'string')
      .slice(0, MAX_FOLDERS);
    for (const one of named) {
      const name = referencedPath(one);
      if (name === '') continue;
      if (ABSOLUTE.test(one)) folders.push({ split, folder: name, name, isAbsolute: true });
      else
        for (const folder of new Set([referencedPath(`${base}/${one}`), name]))
          folders.push({ split, folder, name });
    }
  }
  return folders;
}

const ABSOLUTE = /^(?:[A-Za-z]:)?[\\/]/;
const MAX_ENDINGS = 8;

/** True for the name of a list of images, one a line. */
export const isImageList = ({ folder }: PartFolder): boolean => folder.toLowerCase().endsWith('.txt');

/** Where a folder of another machine may lie here, longest first; not where a folder of another part may lie as well. */
export function endingsOf({ split, folder }: PartFolder, all: readonly PartFolder[]): string[] {
  const parts = folder.split('/');
  const others = all.filter((other) => other.split !== split && other.folder !== folder);
  const endings = parts.map((_, at) => parts.slice(at).join('/')).slice(-MAX_ENDINGS);
  return endings.filter((ending) => !others.some((other) => `/${other.folder}`.endsWith(`/${ending}`)));
}

/** A list of images that a configuration names for a part. */
export interface PartList {
  readonly split: Split;
  readonly fileId: string;
}

/**
 * The list that a configuration means: beside it, at the root of the dataset, or else the only one of its name.
 * @param names where it may lie, best first
 */
export function listOfConfiguration(
  lists: ReadonlyArray<{ readonly fileId: string; readonly path: string }>,
  names: readonly string[],
  configuration: string,
): string | null {
  const folder = folderOf(configuration);
  for (const name of names) {
    const alike = lists.filter(({ path }) => `/${path}`.endsWith(`/${name}`));
    const at = (place: string) => alike.find(({ path }) => path === place);
    const found =
      at(folder === '' ? name : `${folder}/${name}`) ??
      at(name) ??
      (alike.length === 1 ? alike[0] : undefined);
    if (found) return found.fileId;
  }
  return null;
}

export interface MissingParts {
  /** Path of the configuration; null where there is none. */
  readonly path: string | null;
  /** What it names that has no place here. */
  readonly missing: readonly PartFolder[];
}

/** What a configuration names for a part and for an earlier one. */
export interface RepeatedPart {
  readonly split: Split;
  readonly earlier: Split;
  readonly name: string;
}

/** @param splits images by part, as they were settled */
export function emptyPartsWarning(
  path: string | null,
  repeated: readonly RepeatedPart[],
  splits: Readonly<Partial<Record<Split, number>>>,
): PartFinding[] {
  const empty = new Map(
    repeated.filter(({ split }) => (splits[split] ?? 0) === 0).map((one) => [one.split, one]),
  );
  return [...empty.values()].map(({ split, earlier, name }) => ({
    code: 'empty_part',
    message: `${path} names ${name} for ${earlier} and for ${split}: it counts for ${earlier}, so ${split} is empty.`,
    file_id: null,
  }));
}

const MAX_EXAMPLES = 10;

export function missingPartsWarning({ path, missing }: MissingParts): PartFinding[] {
  const names = [...new Set(missing.map(({ folder, name }) => name ?? folder))];
  if (names.length === 0) return [];
  const message = `${path} names folders or lists of images of train, val or test that are not here, or hold no image (${names.length}): ${names.slice(0, MAX_EXAMPLES).join(', ')}${names.length > MAX_EXAMPLES ? ', ...' : ''}.`;
  return [{ code: 'parts_not_here', message, file_id: null }];
}
