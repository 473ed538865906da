import { useMemo, useState } from 'react';
import { commonRoot, type Dropped, isRootKept, joined, selectionOf, withoutRoot } from './upload-plan';

/** What was dropped so far, with the paths that the files will have. */
export interface Chosen {
  readonly entries: readonly Dropped[];
  readonly leftOut: number;
  /** The folder that all paths begin with; null when there is none. */
  readonly root: string | null;
  readonly isRootKept: boolean;
  readonly keepRoot: (isKept: boolean) => void;
  readonly add: (dropped: readonly Dropped[]) => void;
  readonly clear: () => void;
}

export function useSelection(): Chosen {
  const [dropped, setDropped] = useState<readonly Dropped[]>([]);
  const [wish, setWish] = useState<boolean | null>(null);
  const { entries, leftOut, root, isByRule } = useMemo(() => {
    const selection = selectionOf(dropped);
    const paths = selection.entries.map(({ path }) => path);
    return { ...selection, root: commonRoot(paths), isByRule: isRootKept(paths) };
  }, [dropped]);
  const isKept = root === null || (wish ?? isByRule);
  const placed = useMemo(
    () =>
      isKept || root === null
        ? entries
        : entries.map((entry) => ({ ...entry, path: withoutRoot(entry.path, root) })),
    [entries, isKept, root],
  );
  return {
    entries: placed,
    leftOut,
    root,
    isRootKept: isKept,
    keepRoot: setWish,
    add: (added) => setDropped((before) => joined(before, added)),
    clear: () => {
      setDropped([]);
      setWish(null);
    },
  };
}
