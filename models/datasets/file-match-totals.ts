import type { FileFilters, ListedDataset } from './file-list.types.js';

const MAX_SEARCHES = 256;

/** What files are asked for: those whose path is like the pattern and that have these properties. */
export interface FileMatch {
  /** Null: any path. */
  readonly pattern: string | null;
  readonly filters: FileFilters;
}

/**
 * How many files a list has that is not the whole one: counting them reads every name or row of the dataset, so it is
 * done once for each revision, which every change of files raises. A validation changes state and kind of files without
 * raising it, so totals by these are kept once it is over.
 */
export class FileMatchTotals {
  private readonly totals = new Map<string, number>();

  get(dataset: ListedDataset, match: FileMatch): number | null {
    return isSettled(dataset, match) ? (this.totals.get(keyOf(dataset, match)) ?? null) : null;
  }

  remember(dataset: ListedDataset, match: FileMatch, total: number): void {
    if (!isSettled(dataset, match)) return;
    const key = keyOf(dataset, match);
    this.totals.delete(key);
    this.totals.set(key, total);
    const oldest = this.totals.size > MAX_SEARCHES ? this.totals.keys().next().value : undefined;
    if (oldest !== undefined) this.totals.delete(oldest);
  }
}

const isSettled = (dataset: ListedDataset, { filters }: FileMatch): boolean => dataset.status !== 'DRAFT' || (filters.status === undefined && filters.kind === undefined);

const keyOf = (dataset: ListedDataset, { pattern, filters: { status, kind, origin } }: FileMatch): string =>
  JSON.stringify([dataset.id, dataset.revision, status ?? null, kind ?? null, origin ?? null, pattern]);
