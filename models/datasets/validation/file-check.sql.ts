import { type Likeness, LIKENESS_VERSION } from '../../../core/ports/image-decoder.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { FileKind, FileStatus } from '../catalog/dataset.types.js';

/** Marks files to be read again: every one, or those that annotate others; at most `limit`. @returns how many they were */
export async function reopenFiles(
  tx: TenantTransaction,
  datasetId: string,
  which: 'all' | 'annotations',
  limit: number | null,
): Promise<number> {
  const chosen = which === 'all' ? '' : " and kind = 'annotation'";
  return tx.execute(
    `-- bulk: all files of a dataset
     update dataset_file set status = 'pending', reason = null where tenant_id = $1 and id in (
       select id from dataset_file
       where tenant_id = $1 and dataset_id = $2 and status <> 'pending'${chosen} limit $3)`,
    [tx.tenantId, datasetId, limit],
  );
}

export interface CheckedFile {
  readonly id: string;
  readonly status: Exclude<FileStatus, 'pending'>;
  readonly reason: string | null;
  readonly mediaType: string;
  readonly kind: FileKind;
  readonly label: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** As EXIF has it; null for what is no image. */
  readonly orientation: number | null;
  readonly likeness: Likeness | null;
}

/** Writes what a batch found, in one statement; files deleted meanwhile stay away. */
export async function writeChecks(
  tx: TenantTransaction,
  datasetId: string,
  files: readonly CheckedFile[],
): Promise<void> {
  await tx.execute(
    `-- bulk: a hundred files at a time, of a million
     update dataset_file f set status = c.status, reason = c.reason, media_type = c.media_type, kind = c.kind,
       label = c.label, width = c.width, height = c.height, orientation = c.orientation,
       is_turned = coalesce(c.orientation > 4, false), phash = c.phash,
       tones = decode(c.tones, 'hex'), likeness_version = ${LIKENESS_VERSION}, updated_at = now()
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[], $10::int[],
       $11::smallint[], $12::bigint[], $13::text[])
       as c (id, status, reason, media_type, kind, label, width, height, orientation, phash, tones)
     where f.tenant_id = $1 and f.dataset_id = $2 and f.id = c.id`,
    [
      tx.tenantId,
      datasetId,
      files.map((file) => file.id),
      files.map((file) => file.status),
      files.map((file) => file.reason),
      files.map((file) => file.mediaType),
      files.map((file) => file.kind),
      files.map((file) => file.label),
      files.map((file) => file.width),
      files.map((file) => file.height),
      files.map((file) => file.orientation),
      files.map((file) => file.likeness?.hash ?? null),
      files.map((file) => (file.likeness === null ? null : Buffer.from(file.likeness.tones).toString('hex'))),
    ],
  );
}
