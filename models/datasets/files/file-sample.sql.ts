import { withoutSorts } from '../../orm/planner-settings.js';
import type { TenantTransaction } from '../../orm/transaction.js';

const IMAGES = "dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image'";

// In the order of the index over labels and paths: the first rows are read, and no others in order to sort them.
const SAMPLE = `with recursive labels (label, nth) as (
    (select label, 1 from ${IMAGES} and label is not null order by label limit 1)
    union all
    select (select label from ${IMAGES} and label > before.label order by label limit 1), nth + 1
    from labels before where before.label is not null and nth < $3),
  picked as (
    (select id, path, label, row_number() over (order by label, path) as turn
     from ${IMAGES} and label is null order by label, path limit $3)
    union all
    select p.id, p.path, p.label, p.turn from labels l cross join lateral (
      select id, path, label, row_number() over (order by label, path) as turn
      from ${IMAGES} and label = l.label order by label, path limit $3) p)
  select id from picked order by turn, label nulls last, path limit $3`;

/**
 * Ids of images, spread over the classes: the first of every class before the second of any. Classes are stepped over in
 * the index of labels, at most `limit` of them, so that it takes no longer for a million images.
 */
export async function sampleFileIds(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<string[]> {
  const rows = await withoutSorts(tx, () => tx.rows<{ id: string }>(SAMPLE, [tx.tenantId, datasetId, limit]));
  return rows.map(({ id }) => id);
}
