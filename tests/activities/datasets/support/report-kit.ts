import { createHash, randomUUID } from 'node:crypto';
import { readAnnotation } from '../../../../activities/datasets/annotation-reader.js';
import { reportAnnotations } from '../../../../activities/datasets/annotation-reporter.js';
import { LIKENESS_VERSION } from '../../../../core/ports/image-decoder.js';
import { asTenantId } from '../../../../core/security/ids.js';
import {
  type ReadAnnotation,
  replaceAnnotations,
} from '../../../../models/datasets/annotations/entries/annotation-facts.sql.js';
import { recognizeFile } from '../../../../formats/files/file-type.js';
import { startTestApi } from '../../../api/support/test-api.js';

/** An image by what its bytes are, or the text of an annotation file. */
export type Content = { readonly image: string; readonly tones?: Buffer } | string;
/** @param tones of a picture with little in it: those have hash 0 here */
export const image = (bytes: string, tones?: Buffer): Content => ({ image: bytes, ...(tones && { tones }) });
export const coco = (
  names: readonly string[],
  more: { objects?: readonly object[]; classes?: readonly string[] } = {},
): string =>
  JSON.stringify({
    images: names.map((file_name, id) => ({ id, file_name })),
    annotations:
      more.objects ?? names.map((_, id) => ({ id, image_id: id, category_id: 0, bbox: [1, 1, 50, 50] })),
    categories: (more.classes ?? ['bolt']).map((name, id) => ({ id, name })),
  });
export const LABEL = '0 0.5 0.5 0.5 0.5\n';

/** A tenant whose datasets hold what a check left of their files, and reports on them. */
export async function openReportKit() {
  const api = await startTestApi();
  const tenantId = asTenantId((await api.addTenant()).id);

  /** Adds files as their check leaves them. */
  async function add(id: string, files: Readonly<Record<string, Content>>): Promise<void> {
    const found: ReadAnnotation[] = [];
    const rows = Object.entries(files).map(([path, content]) => {
      const fileId = randomUUID();
      if (typeof content !== 'string')
        return {
          fileId,
          path,
          kind: 'image',
          bytes: content.image,
          tones: content.tones?.toString('hex') ?? null,
        };
      const type = recognizeFile(Buffer.from(content), path);
      const facts =
        type.kind === 'annotation' ? readAnnotation(type, path, Buffer.from(content))?.facts : null;
      if (facts) found.push({ fileId, facts });
      return { fileId, path, kind: type.kind, bytes: content, tones: null };
    });
    await api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute(
        `insert into dataset_file (id, tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, width, height, added_revision, phash, tones, likeness_version)
         select i, $1, $2, p, s, 10, gen_random_uuid()::text, 'image/png', k, 'valid', 100, 100, 1, case when t is not null then 0 end, decode(t, 'hex'), ${LIKENESS_VERSION}
         from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) as f (i, p, s, k, t)`,
        [
          tenantId,
          id,
          rows.map((row) => row.fileId),
          rows.map((row) => row.path),
          rows.map((row) => createHash('sha256').update(row.bytes).digest('hex')),
          rows.map((row) => row.kind),
          rows.map((row) => row.tones),
        ],
      );
      await replaceAnnotations(tx, id, [], found);
    });
  }

  async function dataset(files: Readonly<Record<string, Content>>): Promise<string> {
    const id = randomUUID();
    await api.container.db.inTenant(tenantId, (tx) =>
      tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'Report')", [
        id,
        tenantId,
        `report-${id}`,
      ]),
    );
    await add(id, files);
    return id;
  }
  const remove = (id: string, path: string) =>
    api.container.db.inTenant(tenantId, (tx) =>
      tx.execute('delete from dataset_file where tenant_id = $1 and dataset_id = $2 and path = $3', [
        tenantId,
        id,
        path,
      ]),
    );
  const report = async (id: string) => {
    const { stats, ...rest } = await reportAnnotations(
      api.container.db,
      tenantId,
      id,
      new AbortController().signal,
    );
    // biome-ignore lint/suspicious/noExplicitAny: the figures are read by many paths
    return { ...rest, stats: stats as Record<string, any>, codes: rest.warnings.map(({ code }) => code) };
  };

  return { api, tenantId, add, dataset, remove, report, close: () => api.close() };
}

export type ReportKit = Awaited<ReturnType<typeof openReportKit>>;
