import type { Finding } from '../../catalog/dataset.types.js';
import { splitOfWord } from '../../../../formats/annotations/image-reference.js';

/** Where the folders of classes lie. */
export interface ClassFolders {
  /** Path that all images share, before the folders of classes or of parts; ends in `/`, or is empty. */
  readonly root: string;
  /** Folders named train, val or test lie there, and those of classes below them. */
  readonly hasParts: boolean;
  /** Path between the folder of a part and those of classes, the same for all parts; ends in `/`, or is empty. */
  readonly below: string;
  /** Why nobody could say which folders are the classes. */
  readonly doubt: ClassFolderDoubt | null;
}

/** `beside`: images lie beside folders of others; `chain`: all lie in one folder below others. The first folders are the classes then. */
type Unsettled = 'beside' | 'chain';

/** Otherwise folders are named as parts and cannot be used as such; what keeps them from it. */
export type ClassFolderDoubt = Unsettled | { readonly parts: string };

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
 * @param outside images in no folder at all
 */
export function settleFolder(
  { shared, images, direct }: FolderCount,
  outside: number,
): { readonly folder: string; readonly doubt: Unsettled | null } {
  if (direct === 0 && outside === 0) return { folder: shared, doubt: null };
  const isInside = shared !== '' && images > direct;
  const isDeep = shared.indexOf('/') < shared.length - 1;
  return { folder: '', doubt: isInside ? 'beside' : isDeep ? 'chain' : null };
}

/** The path of an image for people: `flowers/<part>/<class>/`. */
export const classPattern = ({ root, hasParts, below }: ClassFolders): string =>
  `${root}${hasParts ? '<part>/' : ''}${below}<class>/`;

/** How images lie where folders are named as parts. */
export interface PartPlaces {
  /** Before the folders of parts; ends in `/`, or is empty. */
  readonly root: string;
  /** An image in a folder named as a part, right below the root; null where there is none. */
  readonly atRoot: string | null;
  /** An image with such a folder anywhere. */
  readonly anywhere: string | null;
  /** An image that lies in no part, or in no folder of a class below it. */
  readonly outside: string | null;
}

/** What keeps folders named as parts from being used as such; null where no folder is named so. */
export function partsDoubt({ root, atRoot, anywhere, outside }: PartPlaces): ClassFolderDoubt | null {
  if (anywhere === null || outside === null) return null;
  const folders = anywhere.split('/').slice(0, -1);
  const named = folders.slice(0, folders.findIndex((name) => splitOfWord(name) !== null) + 1);
  if (atRoot === null)
    return {
      parts: `Folders named as parts of the dataset lie below those of classes (${named.join('/')}/)`,
    };
  const rest = outside.startsWith(root) ? outside.slice(root.length) : outside;
  const first = rest.slice(0, rest.indexOf('/') + 1);
  if (first !== '' && splitOfWord(first.slice(0, -1)) !== null)
    return {
      parts: `Images lie in folders named as parts of the dataset and in no folder of a class below them (${outside})`,
    };
  return {
    parts: `${first === '' ? outside : `${root}${first}`} lies beside folders named as parts of the dataset (${named.join('/')}/)`,
  };
}

const UNSETTLED: Readonly<Record<Unsettled, string>> = {
  beside:
    'Images lie beside folders with other images, so the first folder of each is taken for its class. ' +
    'Give every image a folder of its class, all of them at one depth.',
  chain:
    'All images lie in one folder below others, so the first folder is taken for the class. ' +
    'Leave the others out if the last one is meant.',
};

/** Customary names of folders that hold images or what annotates them. */
const LAYOUT_NAMES =
  /^(images|imgs|jpegimages|masks|labels|annotations|segmentationclass|segmentationobject|ground_truth)$/i;

/** @param classes names of the classes that were found */
export function classFolderWarnings(folders: ClassFolders | null, classes: readonly string[]): Finding[] {
  if (folders === null) return [];
  const { doubt } = folders;
  const messages: string[] = [];
  if (doubt !== null)
    messages.push(
      typeof doubt === 'string'
        ? UNSETTLED[doubt]
        : `${doubt.parts}, so parts are not used: the class is the folder at ${classPattern(folders)}. ` +
            'Put every image into train/<class>/ or val/<class>/.',
    );
  const layout = classes.filter((name) => LAYOUT_NAMES.test(name));
  if (layout.length > 0)
    messages.push(
      'Folders are taken for classes though they have the customary names of folders of images or annotations: ' +
        `${layout.join(', ')}. No object was read from annotation files: add some of COCO, YOLO or Pascal VOC, ` +
        'or put every image into a folder of its class. Masks as images are not read.',
    );
  return messages.map((message) => ({ code: 'unclear_class_folders', message, file_id: null }));
}
