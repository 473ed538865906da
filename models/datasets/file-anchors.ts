import type { TenantTransaction } from '../orm/transaction.js';

/** Every so many rows of a list the path is remembered. */
const STEP = 1000;
const MAX_LISTS = 64;
/** Pages nearer to the start need no anchor. */
export const ANCHORED_FROM = 2 * STEP;

/**
 * Where pages deep in the list of a dataset's files begin: the path of every 1,000th file. A page then costs what the
 * first one costs and at most 1,000 index entries more, instead of all entries before it. Anchors hold for one revision
 * of the dataset, which every change of files raises, and are found when they are first needed, by the index alone.
 */
export class FileAnchors {
  private readonly lists = new Map<string, readonly string[]>();

  /** @returns the path to begin at, and how many files from there come before the page */
  async locate(tx: TenantTransaction, dataset: { id: string; revision: number }, offset: number): Promise<{ from: string; skip: number }> {
    const wanted = Math.floor(offset / STEP);
    const key = `${dataset.id}/${dataset.revision}`;
    let anchors = this.lists.get(key) ?? [];
    if (anchors.length < wanted) anchors = [...anchors, ...(await findAnchors(tx, dataset.id, anchors.at(-1) ?? '', wanted - anchors.length))];
    this.remember(key, anchors);
    const place = Math.min(wanted, anchors.length);
    return { from: anchors[place - 1] ?? '', skip: offset - place * STEP };
  }

  private remember(key: string, anchors: readonly string[]): void {
    this.lists.delete(key);
    this.lists.set(key, anchors);
    const oldest = this.lists.size > MAX_LISTS ? this.lists.keys().next().value : undefined;
    if (oldest !== undefined) this.lists.delete(oldest);
  }
}

async function findAnchors(tx: TenantTransaction, datasetId: string, from: string, count: number): Promise<string[]> {
  const rows = await tx.query<{ path: string }>(
    `select path from (
       select path, row_number() over (order by path) as place from (
         select path from dataset_file where tenant_id = $1 and dataset_id = $2 and path >= $3 order by path limit $4) entries) numbered
     where place > 1 and place % ${STEP} = 1 order by path`,
    [tx.tenantId, datasetId, from, count * STEP + 1],
  );
  return rows.map(({ path }) => path);
}
