import type { TenantTransaction } from '../../../orm/transaction.js';
import type { AnnotationEntry, AnnotationFacts } from '../../../../formats/annotations/annotation.types.js';

export interface ReadAnnotation {
  readonly fileId: string;
  readonly facts: AnnotationFacts;
}

/** Bytes of objects, and entries, written by one statement. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
const MAX_BATCH_ENTRIES = 1000;

/**
 * Writes what a reading of files found, in place of what earlier readings did. Files deleted meanwhile stay away.
 * @param fileIds all files that were read, also those that turned out to annotate nothing
 */
export async function replaceAnnotations(
  tx: TenantTransaction,
  datasetId: string,
  fileIds: readonly string[],
  found: readonly ReadAnnotation[],
): Promise<void> {
  await tx.execute(
    `-- bulk: all files of a reading, with their entries
     delete from dataset_annotation_file where tenant_id = $1 and dataset_id = $2 and file_id = any($3::uuid[])`,
    [tx.tenantId, datasetId, fileIds],
  );
  if (found.length === 0) return;
  const known = await insertFiles(tx, datasetId, found);
  const batch = new EntryBatch(tx, datasetId);
  for (const { fileId, facts } of found) {
    if (!known.has(fileId)) continue;
    let seq = 0;
    for (const entry of facts.entries) {
      await batch.add(fileId, seq, entry);
      seq += 1;
    }
  }
  await batch.flush();
}

async function insertFiles(
  tx: TenantTransaction,
  datasetId: string,
  found: readonly ReadAnnotation[],
): Promise<Set<string>> {
  const rows = found.map(({ fileId, facts }) => ({
    file_id: fileId,
    kind: facts.kind,
    classes: facts.classes,
    shape: facts.keypointShape,
    parts: facts.partFolders ?? [],
    images: facts.imageCount,
    objects: facts.objectCount,
    orphans: facts.orphanCount,
  }));
  const written = await tx.rows<{ fileId: string }>(
    `-- bulk: all files of a reading
     insert into dataset_annotation_file (tenant_id, dataset_id, file_id, kind, classes, keypoint_shape, part_folders,
       image_count, object_count, orphan_count)
     select $1, $2, r.file_id, r.kind, r.classes,
       case when jsonb_typeof(r.shape) = 'array' then array[(r.shape->>0)::int, (r.shape->>1)::int] end,
       r.parts, r.images, r.objects, r.orphans
     from jsonb_to_recordset($3::jsonb) as r (file_id uuid, kind text, classes jsonb, shape jsonb, parts jsonb,
       images int, objects bigint, orphans bigint)
     where exists (select 1 from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.id = r.file_id)
     returning file_id`,
    [tx.tenantId, datasetId, JSON.stringify(rows)],
  );
  return new Set(written.map((row) => row.fileId));
}

class EntryBatch {
  private rows: Array<Record<string, unknown>> = [];
  private bytes = 0;

  constructor(
    private readonly tx: TenantTransaction,
    private readonly datasetId: string,
  ) {}

  async add(
    fileId: string,
    seq: number,
    { refs, name, extension, split, width, height, objects }: AnnotationEntry,
  ): Promise<void> {
    this.rows.push({
      file_id: fileId,
      seq,
      refs: refs.join('\n'),
      name,
      extension,
      split,
      width,
      height,
      objects: Buffer.from(objects.buffer, objects.byteOffset, objects.byteLength).toString('base64'),
    });
    this.bytes += objects.length;
    if (this.rows.length >= MAX_BATCH_ENTRIES || this.bytes >= MAX_BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.rows.length === 0) return;
    // References hold no control characters, so a line each.
    await this.tx.execute(
      `-- bulk: a thousand entries at a time, of millions
       insert into dataset_annotation (tenant_id, dataset_id, file_id, seq, refs, name, extension, split, width, height,
         objects)
       select $1, $2, r.file_id, r.seq, string_to_array(r.refs, E'\\n'), r.name, r.extension, r.split, r.width, r.height,
         decode(r.objects, 'base64')
       from jsonb_to_recordset($3::jsonb) as r (file_id uuid, seq int, refs text, name text, extension text,
         split text, width int, height int, objects text)`,
      [this.tx.tenantId, this.datasetId, JSON.stringify(this.rows)],
    );
    this.rows = [];
    this.bytes = 0;
  }
}
