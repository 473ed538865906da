import { asTenantId } from '../../core/security/ids.js';
import type { AnnotationFormat } from '../../formats/annotations/annotation.types.js';
import {
  annotationsOfFiles,
  entriesOfImages,
  namesOfCocoFiles,
  type YoloWords,
  yoloWords,
} from '../../models/datasets/annotations/entries/manifest-entries.sql.js';
import type { ValidationInput } from '../../models/datasets/catalog/dataset-work.types.js';
import { manifestPage } from '../../models/datasets/validation/dataset-validation.queries.js';
import type { ManifestAnnotation, ManifestFile } from '../../models/datasets/validation/manifest.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { usesFiles } from './annotation-statistics.js';
import type { ManifestPages } from './manifest-writer.js';

const PAGE = 2000;
/** COCO files whose names are held at once: ten thousand names of one take 6 MB at most. */
const FILES_WITH_NAMES = 10;

type Row = Awaited<ReturnType<typeof manifestPage>>[number];
type InTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;

/**
 * The files of a dataset for its manifest.
 * @param format with it the files say how they annotate; what the digest is made of needs none
 */
export const manifestPages = (
  database: Database,
  input: ValidationInput,
  format: AnnotationFormat | null = null,
): ManifestPages =>
  async function* () {
    const inTenant: InTenant = (work) => database.inTenant(asTenantId(input.tenantId), work);
    const isAnnotated = usesFiles(format);
    const words = format === 'yolo' ? await inTenant((tx) => yoloWords(tx, input.datasetId)) : null;
    for (let after = ''; ; ) {
      const from = after;
      const rows = await inTenant((tx) => manifestPage(tx, input.datasetId, from, PAGE));
      if (rows.length === 0) return;
      if (isAnnotated) yield* annotated(inTenant, input.datasetId, format as string, rows, words);
      else yield rows.map((row) => toFile(row));
      after = (rows.at(-1) as Row).path;
    }
  };

/** A page as pages that hold the names of few files. */
async function* annotated(
  inTenant: InTenant,
  datasetId: string,
  format: string,
  rows: readonly Row[],
  words: YoloWords | null,
): AsyncIterable<readonly ManifestFile[]> {
  const ids = (kind: string) => rows.flatMap((row) => (row.kind === kind ? [row.id] : []));
  const [kinds, entries] = await inTenant(async (tx) => [
    await annotationsOfFiles(tx, datasetId, format, ids('annotation')),
    await entriesOfImages(tx, datasetId, format, ids('image')),
  ]);
  for (const part of partsOf(rows, (row) => kinds.get(row.id) === 'coco')) {
    const coco = part.flatMap(({ id }) => (kinds.get(id) === 'coco' ? [id] : []));
    const names = await inTenant((tx) => namesOfCocoFiles(tx, datasetId, coco));
    yield part.map((row) => {
      const kind = kinds.get(row.id);
      const own = names.get(row.id);
      const annotation: ManifestAnnotation | undefined = kind && {
        kind,
        ...(own && { names: own }),
        ...words?.get(row.path),
      };
      return toFile(row, annotation, entries.get(row.id));
    });
  }
}

/** Rows in their order, with few of the heavy ones in each part. */
function* partsOf(rows: readonly Row[], isHeavy: (row: Row) => boolean): Iterable<readonly Row[]> {
  let part: Row[] = [];
  let heavy = 0;
  for (const row of rows) {
    part.push(row);
    if (isHeavy(row)) heavy += 1;
    if (heavy < FILES_WITH_NAMES) continue;
    yield part;
    [part, heavy] = [[], 0];
  }
  if (part.length > 0) yield part;
}

function toFile(
  { path, sha256, sizeBytes, objectKey, kind, label, split, width, height }: Row,
  annotation?: ManifestFile['annotation'],
  entries?: ManifestFile['entries'],
): ManifestFile {
  return {
    ...{ path, sha256, size: sizeBytes, key: objectKey, kind },
    ...(label !== null && { label }),
    ...(split !== null && { split }),
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    ...(annotation && { annotation }),
    ...(entries && { entries }),
  };
}
