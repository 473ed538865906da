import {
  classesOfFiles,
  declaredClasses,
  findKeypointShape,
  findYoloNames,
} from '../../models/datasets/annotations/report/annotation-report.queries.js';
import {
  type EntryPlace,
  entryPage,
} from '../../models/datasets/annotations/report/annotation-report.sql.js';
import { ClassLists } from '../../models/datasets/annotations/matching/class-lists.js';
import {
  type AnnotationFormat,
  type FileFormat,
  MAX_CLASSES,
} from '../../formats/annotations/annotation.types.js';
import { markImages } from '../../models/datasets/annotations/report/image-marks.sql.js';
import { ObjectStatistics } from '../../models/datasets/annotations/report/object-statistics.rules.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';

export type InTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;

export const usesFiles = (format: AnnotationFormat | null): format is FileFormat =>
  format === 'coco' || format === 'voc' || format === 'yolo';

const PAGE = 200;

/** What the objects of all annotation files are like, read page by page; images are marked with what theirs say. */
export async function objectStatistics(
  inTenant: InTenant,
  datasetId: string,
  format: AnnotationFormat,
): Promise<ObjectStatistics> {
  const names = format === 'yolo' ? await inTenant((tx) => findYoloNames(tx, datasetId)) : null;
  const declared =
    format === 'coco'
      ? await inTenant((tx) => declaredClasses(tx, datasetId, MAX_CLASSES))
      : (names?.classes.map(({ name }) => name) ?? []);
  const found = format === 'yolo' ? await inTenant((tx) => findKeypointShape(tx, datasetId)) : null;
  const shape = found?.shape ?? null;
  const statistics = new ObjectStatistics(shape === null ? null : 4 + shape[0] * shape[1], declared);
  const byId = names && new Map(names.classes.map(({ id, name }) => [id, name]));
  if (usesFiles(format)) await takeStatistics(inTenant, datasetId, statistics, byId);
  return statistics;
}

async function takeStatistics(
  inTenant: InTenant,
  datasetId: string,
  statistics: ObjectStatistics,
  yoloNames: ReadonlyMap<number, string> | null,
): Promise<void> {
  const lists = new ClassLists();
  for (let after: EntryPlace | null = null; ; ) {
    const from: EntryPlace | null = after;
    const { page, classes } = await inTenant(async (tx) => {
      await markImages(tx, datasetId, statistics.marks.take());
      const entries = await entryPage(tx, datasetId, from, PAGE);
      const own = entries.filter(({ entry }) => entry.kind !== 'yolo').map(({ place }) => place.fileId);
      return {
        page: entries,
        classes: await lists.of(new Set(own), (fileIds) => classesOfFiles(tx, datasetId, fileIds)),
      };
    });
    for (const { place, entry } of page) {
      const own = classes.get(place.fileId);
      // Without a list of names every class number stands for itself.
      if (entry.kind === 'yolo')
        statistics.add(entry, (id) => (yoloNames === null ? String(id) : (yoloNames.get(id) ?? null)));
      else statistics.add(entry, (id) => own?.get(id) ?? null);
    }
    if (page.length === 0) break;
    after = page.at(-1)?.place ?? null;
  }
  statistics.marks.close();
  await inTenant((tx) => markImages(tx, datasetId, statistics.marks.take()));
}
