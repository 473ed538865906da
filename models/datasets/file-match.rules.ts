import type { FileFilters, ListedDataset } from './file-list.types.js';

/** What files are asked for: those whose path has the text in it, without regard to case, and that have these properties. */
export interface FileMatch {
  /** Null: any path. */
  readonly text: string | null;
  readonly filters: FileFilters;
}

/**
 * Under what an answer may be remembered: every change of files raises the dataset's revision. A validation changes state
 * and kind of files without raising it, so answers by these hold only once it has ended: FROZEN and FAILED are left by
 * raising the revision alone. Null: the answer holds for now.
 */
export function matchKey({ id, revision, status }: ListedDataset, { text, filters }: FileMatch): string | null {
  const isSettled = status === 'FROZEN' || status === 'FAILED' || (filters.status === undefined && filters.kind === undefined);
  return isSettled ? JSON.stringify([id, revision, filters.status ?? null, filters.kind ?? null, filters.origin ?? null, text]) : null;
}
