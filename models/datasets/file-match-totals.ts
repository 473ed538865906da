const MAX_SEARCHES = 256;

/**
 * How many files a search for a common part of names finds: counting them reads every name of the dataset, so it is done
 * once for each revision, which every change of files raises.
 */
export class FileMatchTotals {
  private readonly totals = new Map<string, number>();

  get(dataset: { id: string; revision: number }, pattern: string): number | null {
    return this.totals.get(keyOf(dataset, pattern)) ?? null;
  }

  remember(dataset: { id: string; revision: number }, pattern: string, total: number): void {
    const key = keyOf(dataset, pattern);
    this.totals.delete(key);
    this.totals.set(key, total);
    const oldest = this.totals.size > MAX_SEARCHES ? this.totals.keys().next().value : undefined;
    if (oldest !== undefined) this.totals.delete(oldest);
  }
}

const keyOf = (dataset: { id: string; revision: number }, pattern: string): string => `${dataset.id}/${dataset.revision}/${pattern}`;
