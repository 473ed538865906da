import {
  type AnnotatedImages,
  findImageObjects,
} from '../../models/datasets/annotations/entries/image-objects.queries.js';
import { requireListedDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';

/** Boxes drawn on one image. */
const MAX_OBJECTS = 500;

/** What the last validation read of images from annotation files. */
export class ImageAnnotationsService {
  constructor(private readonly db: Database) {}

  /** @throws AppError not_found for an unknown dataset */
  read(caller: Caller, datasetId: string, fileIds: readonly string[]): Promise<AnnotatedImages> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await requireListedDataset(tx, datasetId);
      return findImageObjects(tx, dataset.id, fileIds, MAX_OBJECTS);
    });
  }
}
