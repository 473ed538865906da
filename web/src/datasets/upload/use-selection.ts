import { useMemo, useState } from 'react';
import { commonRoot, type Dropped, isRootKept, joined, selectionOf, withoutRoot } from './upload-plan';

/** What was dropped so far, with the paths that the files will have. */
export interface Chosen {
  readonly entries: readonly Dropped[];
  readonly leftOut: number;
  /** The folder that all paths begin with; null when there is none. */
  readonly root: string | null;
  readonly isRootKept: boolean;
  /** What was chosen for the root; null when there is none. */
  readonly keepsRoot: boolean | null;
  readonly keepRoot: (isKept: boolean) => void;
  readonly add: (dropped: readonly Dropped[]) => void;
  readonly clear: () => void;
}

/** @param before what was chosen for the root of an upload that is gone on with; null: nothing was */
export function useSelection(before: boolean | null = null): Chosen {
  const [dropped, setDropped] = useState<readonly Dropped[]>([]);
  const [wish, setWish] = useState<boolean | null>(null);
  const { entries, leftOut, root, isByRule } = useMemo(() => {
    const selection = selectionOf(dropped);
    const paths = selection.entries.map(({ path }) => path);
    return { ...selection, root: commonRoot(paths), isByRule: isRootKept(paths) };
  }, [dropped]);
  const isKept = root === null || (wish ?? before ?? isByRule);
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
    keepsRoot: root === null ? null : isKept,
    keepRoot: setWish,
    add: (added) => setDropped((earlier) => joined(earlier, added)),
    clear: () => {
      setDropped([]);
      setWish(null);
    },
  };
}
