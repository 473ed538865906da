import type { TenantTransaction } from '../../../orm/transaction.js';
import { type ImageFinding, type ImageMark, OBJECT_FINDINGS } from './image-marks.rules.js';

/** Marks images with what their objects say, in place of all that earlier reports said. */
export async function markImages(
  tx: TenantTransaction,
  datasetId: string,
  marks: readonly ImageMark[],
): Promise<void> {
  if (marks.length === 0) return;
  await tx.execute(
    `-- bulk: the images of a page of entries
     update dataset_file f set classes = m.classes, findings = m.findings
     from jsonb_to_recordset($3::jsonb) as m (path text, classes text[], findings text[])
     where f.tenant_id = $1 and f.dataset_id = $2 and f.path = m.path
       and (f.classes, f.findings) is distinct from (m.classes, m.findings)`,
    [tx.tenantId, datasetId, JSON.stringify(marks)],
  );
}

/** SQL of a finding where the condition holds. */
const when = (condition: string, finding: ImageFinding): string =>
  `case when ${condition} then '${finding}' end`;

/**
 * Adds what statements over the whole dataset find, and takes away what was said of images that nothing annotates any
 * more. Call it after `markImages` of all images. Repeating it changes nothing.
 * @param isByFiles annotation files speak of the images
 */
export async function settleMarks(
  tx: TenantTransaction,
  datasetId: string,
  isByFiles: boolean,
): Promise<void> {
  await tx.execute(
    `-- bulk: all images of a dataset
     with entry as (
       select image_id, bool_or(match = 'matched') as is_matched, bool_or(match = 'case_mismatch') as has_other_case,
         bool_or(match = 'extension_mismatch') as has_other_extension,
         count(distinct split = 'train') filter (where match = 'matched') > 1
           or count(distinct split = 'train') filter (where match = 'listed') > 1 as is_twice
       from dataset_annotation where $3 and tenant_id = $1 and dataset_id = $2 and image_id is not null
       group by image_id),
     alike as (
       select sha256, bool_or(split = 'train') as is_train from dataset_file
       where tenant_id = $1 and dataset_id = $2 and kind = 'image' group by sha256 having count(*) > 1),
     settled as (
       select f.id, case when e.is_matched then f.classes else '{}' end as classes,
         case when e.is_matched
           then array(select o from unnest(f.findings) as o where o = any($4::text[]) order by o) else '{}' end
         || array_remove(array[
           ${when('$3 and e.is_matched is not true', 'annotations.images_without_annotation')},
           ${when('e.has_other_case', 'annotations.case_mismatch')},
           ${when('e.has_other_extension', 'annotations.extension_mismatch')},
           ${when('a.sha256 is not null', 'duplicates.exact')},
           ${when("a.is_train and f.split in ('val', 'test')", 'leakage.exact')},
           ${when('e.is_twice', 'leakage.listed')}], null) as findings
       from dataset_file f left join entry e on e.image_id = f.id left join alike a on a.sha256 = f.sha256
       where f.tenant_id = $1 and f.dataset_id = $2 and f.kind = 'image')
     update dataset_file f set classes = s.classes, findings = s.findings from settled s
     where f.tenant_id = $1 and f.id = s.id
       and (f.classes, f.findings) is distinct from (s.classes, s.findings)`,
    [tx.tenantId, datasetId, isByFiles, OBJECT_FINDINGS],
  );
}
