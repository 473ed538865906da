import type { ModelFile } from './model.types.js';

export interface Pair<T> {
  readonly name: string;
  readonly from: T | null;
  readonly to: T | null;
}

/** Both sides of every name that one of them has, by name. */
export function pairsOf<T>(
  from: Readonly<Record<string, T>>,
  to: Readonly<Record<string, T>>,
): Array<Pair<T>> {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const of = (side: Readonly<Record<string, T>>, name: string): T | null =>
    Object.hasOwn(side, name) ? (side[name] as T) : null;
  return names.map((name) => ({ name, from: of(from, name), to: of(to, name) }));
}

export type FileChange = 'added' | 'removed' | 'changed' | 'same';

export interface FilePair extends Pair<ModelFile> {
  readonly change: FileChange;
}

export function compareFiles(from: readonly ModelFile[], to: readonly ModelFile[]): FilePair[] {
  const byPath = (files: readonly ModelFile[]) =>
    Object.fromEntries(files.map((file) => [file.path, file])) as Record<string, ModelFile>;
  return pairsOf(byPath(from), byPath(to)).map((pair) => ({ ...pair, change: changeOf(pair) }));
}

function changeOf({ from, to }: Pair<ModelFile>): FileChange {
  if (from === null) return 'added';
  if (to === null) return 'removed';
  return from.sha256 === to.sha256 ? 'same' : 'changed';
}

export interface ClassComparison {
  /** Null: not known. */
  readonly from: readonly string[] | null;
  readonly to: readonly string[] | null;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function compareClasses(
  from: readonly string[] | null,
  to: readonly string[] | null,
): ClassComparison {
  const [before, after] = [new Set(from), new Set(to)];
  const isKnown = from !== null && to !== null;
  return {
    from,
    to,
    added: isKnown ? to.filter((name) => !before.has(name)) : [],
    removed: isKnown ? from.filter((name) => !after.has(name)) : [],
  };
}
