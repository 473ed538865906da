import { AppError, notFound } from '../../core/errors/app-error.js';
import {
  findDatasetStatus,
  findFrozenDataset,
} from '../../models/datasets/catalog/frozen-dataset.queries.js';
import type { ClassCount, FrozenDataset } from '../../models/datasets/catalog/dataset.types.js';
import { sampleAnnotatedImages } from '../../models/datasets/annotations/entries/image-objects.queries.js';
import type { AnnotatedImage } from '../../models/datasets/annotations/entries/image-objects.types.js';
import { type FileRow, findFiles, sampleFiles } from '../../models/datasets/files/dataset-file.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { TaskType } from '../../models/training/catalog/catalog.types.js';
import { withoutAnnotations } from '../../models/training/config/check-dataset.js';
import { classesForTask } from '../../models/training/dataset-classes.rules.js';
import type { Caller } from '../http/routing/request-context.js';

/** Boxes drawn on one image. */
const MAX_OBJECTS = 200;

export interface PreviewImage {
  readonly file: FileRow;
  readonly annotations: Pick<AnnotatedImage, 'objects' | 'total'>;
}

export interface DatasetPreview {
  readonly dataset: FrozenDataset;
  readonly images: readonly PreviewImage[];
  readonly classes: readonly ClassCount[];
  /** Why the task cannot be trained from it; null when it can. */
  readonly problem: string | null;
}

/** What a frozen dataset looks like to a task. */
export class DatasetPreviewService {
  constructor(private readonly db: Database) {}

  /** @throws AppError not_found for an unknown dataset, conflict for one that is not FROZEN */
  preview(caller: Caller, datasetId: string, task: TaskType, limit: number): Promise<DatasetPreview> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await required(tx, datasetId);
      const classes = classesForTask(dataset, task);
      const problem = classes.length > 0 ? null : problemOf(task, dataset);
      const images =
        task === 'classification'
          ? await sampleFiles(tx, dataset.id, limit).then((files) => files.map(withoutObjects))
          : await annotatedImages(tx, dataset.id, limit);
      return { dataset, images: problem === null ? images : [], classes, problem };
    });
  }
}

const problemOf = (task: TaskType, dataset: FrozenDataset): string =>
  task === 'classification'
    ? 'classification needs a folder for each class, of which the dataset has none'
    : withoutAnnotations(task, dataset);

async function required(tx: TenantTransaction, datasetId: string): Promise<FrozenDataset> {
  const dataset = await findFrozenDataset(tx, datasetId);
  if (dataset) return dataset;
  const status = await findDatasetStatus(tx, datasetId);
  if (status === null) throw notFound('Dataset');
  throw new AppError(
    'conflict',
    `The dataset is ${status}: it can be looked at for training once it is FROZEN.`,
    {
      status,
    },
  );
}

const withoutObjects = (file: FileRow): PreviewImage => ({ file, annotations: { objects: [], total: 0 } });

async function annotatedImages(
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<PreviewImage[]> {
  const found = await sampleAnnotatedImages(tx, datasetId, limit, MAX_OBJECTS);
  const files = await findFiles(
    tx,
    found.map(({ imageId }) => imageId),
  );
  return found.flatMap(({ imageId, ...annotations }) => {
    const file = files.get(imageId);
    return file ? [{ file, annotations }] : [];
  });
}
