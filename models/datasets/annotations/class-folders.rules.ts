import type { Finding } from '../dataset.types.js';
import { splitOfWord } from './image-reference.rules.js';

/** Where the folders of classes lie. */
export interface ClassFolders {
  /** Path that all images share, before the folders of classes or of parts; ends in `/`, or is empty. */
  readonly root: string;
  /** Folders named train, val or test lie there, and those of classes below them. */
  readonly hasParts: boolean;
  /** Path between the folder of a part and those of classes, the same for all parts; ends in `/`, or is empty. */
  readonly below: string;
  /** Why nobody could say which folders are the classes; the first ones are then. */
  readonly doubt: ClassFolderDoubt | null;
}

/** `beside`: images lie beside folders of others; `chain`: all lie in one folder below others; `parts`: folders are named as parts alone. */
export type ClassFolderDoubt = 'beside' | 'chain' | 'parts';

/** How images lie in a folder that all of them share. */
export interface FolderCount {
  /** What they share; ends in `/`, or is empty. */
  readonly shared: string;
  /** Images in folders. */
  readonly images: number;
  /** Those that lie in the shared folder itself. */
  readonly direct: number;
}

/** The folders that a first and a last path have in common; with them all paths between, in byte order. */
export function sharedFolder(first: string, last: string): string {
  let end = 0;
  for (let at = 0; at < first.length && first[at] === last[at]; at += 1) if (first[at] === '/') end = at + 1;
  return first.slice(0, end);
}

/** The folders before the first that is named as a part. */
export function beforeParts(folder: string): string {
  const names = folder.split('/').slice(0, -1);
  const at = names.findIndex((name) => splitOfWord(name) !== null);
  return at < 0
    ? folder
    : names
        .slice(0, at)
        .map((name) => `${name}/`)
        .join('');
}

/**
 * Classes are the folders in which images begin to differ, as torchvision and Keras take the folders below the root that they
 * are given. Where images lie in the shared folder itself, it may be a class as well as a wrapping: then the first is the class.
 * @param strays images in no folder at all
 */
export function settleFolder({ shared, images, direct }: FolderCount, strays: number): { readonly folder: string; readonly doubt: ClassFolderDoubt | null } {
  if (direct === 0 && strays === 0) return { folder: shared, doubt: null };
  const isInside = shared !== '' && images > direct;
  const isDeep = shared.indexOf('/') < shared.length - 1;
  return { folder: '', doubt: isInside ? 'beside' : isDeep ? 'chain' : null };
}

/** The path of an image for people: `flowers/<part>/<class>/`. */
export const classPattern = ({ root, hasParts, below }: ClassFolders): string => `${root}${hasParts ? '<part>/' : ''}${below}<class>/`;

const DOUBTS: Readonly<Record<ClassFolderDoubt, string>> = {
  beside: 'Images lie beside folders with other images, so the first folder of each is taken for its class. Give every image a folder of its class, all of them at one depth.',
  chain: 'All images lie in one folder below others, so the first folder is taken for the class. Leave the others out if the last one is meant.',
  parts:
    'Folders are named as parts of the dataset and have no folders of classes below them, so the first folder of each image is taken for its class. Put images into train/<class>/.',
};

export const classFolderWarnings = (folders: ClassFolders | null): Finding[] =>
  folders?.doubt ? [{ code: 'unclear_class_folders', message: DOUBTS[folders.doubt], file_id: null }] : [];
