import type { Finding } from '../dataset.types.js';
import type { PartFolder } from './annotation.types.js';
import { referencedPath } from './image-reference.rules.js';

const MAX_FOLDERS = 20;
const PARTS = [
  ['train', 'train'],
  ['val', 'val'],
  ['valid', 'val'],
  ['test', 'test'],
] as const;

/**
 * The folders that the keys `train`, `val` and `test` of a YOLO configuration name, alone and below its `path`: the
 * dataset may have been uploaded from either. Lists of images (`train.txt`) are not read.
 * @param root the parsed configuration
 */
export function partFolders(root: Readonly<Record<string, unknown>>): PartFolder[] {
  const base = typeof root.path === 'string' ? root.path : '';
  const folders: PartFolder[] = [];
  for (const [key, split] of PARTS) {
    const value = root[key];
    const named = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string').slice(0, MAX_FOLDERS);
    for (const name of named) {
      if (ABSOLUTE.test(name)) {
        if (referencedPath(name) !== '') folders.push({ split, folder: referencedPath(name), isAbsolute: true });
        continue;
      }
      for (const folder of new Set([referencedPath(`${base}/${name}`), referencedPath(name)])) if (folder !== '' && referencedPath(name) !== '') folders.push({ split, folder });
    }
  }
  return folders;
}

const ABSOLUTE = /^(?:[A-Za-z]:)?[\\/]/;
const MAX_ENDINGS = 8;

/** Where a folder of another machine may lie here, longest first; not where a folder of another part may lie as well. */
export function endingsOf({ split, folder }: PartFolder, all: readonly PartFolder[]): string[] {
  const parts = folder.split('/');
  const others = all.filter((other) => other.split !== split && other.folder !== folder);
  const endings = parts.map((_, at) => parts.slice(at).join('/')).slice(-MAX_ENDINGS);
  return endings.filter((ending) => !others.some((other) => `/${other.folder}`.endsWith(`/${ending}`)));
}

const MAX_EXAMPLES = 10;

/** @param missing folders that have no place here; lists of images are never read */
export function missingPartsWarning(missing: readonly PartFolder[]): Finding[] {
  const names = missing.map(({ folder }) => folder).filter((folder) => !folder.toLowerCase().endsWith('.txt'));
  if (names.length === 0) return [];
  const shown = `${names.slice(0, MAX_EXAMPLES).join(', ')}${names.length > MAX_EXAMPLES ? ', ...' : ''}`;
  return [{ code: 'parts_not_here', message: `The YOLO configuration names folders of train, val or test that are not here (${names.length}): ${shown}.`, file_id: null }];
}
