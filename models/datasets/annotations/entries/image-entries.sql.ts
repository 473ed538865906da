import { OBJECT_BYTES } from '../../../../formats/annotations/packed-objects.js';
import { withoutSorts } from '../../../orm/planner-settings.js';
import type { TenantTransaction } from '../../../orm/transaction.js';
import { rowAt } from '../report/annotation-report.sql.js';
import type { ImageEntry, ImageWithEntries } from './image-objects.types.js';
import { STATES_STORED_PIXELS } from './stored-pixels.sql.js';

/** Files of COCO may share images (instances, key points, captions), and each has an entry of its own. */
const MAX_ENTRIES = 8;

/** $3: images, $4: bytes of objects of an entry. */
const ENTRIES_OF_IMAGES = `
  select i.id as image_id, case when i.is_turned then i.height else i.width end as width,
    case when i.is_turned then i.width else i.height end as height,
    a.file_id, f.path, f.size_bytes, k.kind, a.seq,
    case when ${STATES_STORED_PIXELS}
      then coalesce(i.orientation, 0) end as turn, octet_length(a.objects) / ${OBJECT_BYTES} as count,
    substr(a.objects, 1, $4) as objects
  from dataset_file i
  left join lateral (
    select * from (select image_id, file_id, seq, width, height, objects from dataset_annotation
      where tenant_id = $1 and dataset_id = $2 and match = 'matched' and image_id >= i.id
      order by image_id, file_id, seq limit ${MAX_ENTRIES}) step
    where image_id = i.id) a on true
  left join lateral ${rowAt('dataset_annotation_file', 'file_id', 'a.file_id', 'kind')} k on true
  left join lateral ${rowAt('dataset_file', 'id', 'a.file_id', 'path, size_bytes')} f on true
  where i.tenant_id = $1 and i.dataset_id = $2 and i.id = any($3::uuid[])
  order by f.path, a.seq`;

type Row = Omit<ImageWithEntries, 'entries'> & { [K in keyof ImageEntry]: ImageEntry[K] | null };

/**
 * These images, in their order, with the entries that the last validation matched to them; files that the dataset does not
 * have are left out.
 * @param most objects read of an entry
 */
export async function entriesOfImages(
  tx: TenantTransaction,
  datasetId: string,
  imageIds: readonly string[],
  most: number,
): Promise<ImageWithEntries[]> {
  const params = [tx.tenantId, datasetId, imageIds, most * OBJECT_BYTES];
  const rows = await withoutSorts(tx, () => tx.rows<Row>(ENTRIES_OF_IMAGES, params));
  const images = new Map<string, ImageWithEntries & { entries: ImageEntry[] }>();
  for (const { imageId, width, height, ...entry } of rows) {
    const image = images.get(imageId) ?? { imageId, width, height, entries: [] };
    images.set(imageId, image);
    if (entry.fileId !== null) image.entries.push(entry as ImageEntry);
  }
  return [...new Set(imageIds)].flatMap((id) => images.get(id) ?? []);
}

/** The first images, in no order that people know, that annotation files speak of. */
export async function annotatedImageIds(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<string[]> {
  const rows = await withoutSorts(tx, () =>
    tx.rows<{ imageId: string }>(
      `select image_id from dataset_annotation where tenant_id = $1 and dataset_id = $2 and match = 'matched'
       group by image_id order by image_id limit $3`,
      [tx.tenantId, datasetId, limit],
    ),
  );
  return rows.map(({ imageId }) => imageId);
}
