import type { Request } from 'express';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import type { TableReader } from '../../core/ports/table-reader.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { UploadIntake } from '../http/bodies/multipart-storage.js';
import { callerOf } from '../http/routing/request-context.js';
import { DatasetFilesService, formLimit } from './dataset-files.service.js';
import { DatasetSampleService } from './dataset-sample.service.js';
import { DatasetUploadsService } from './dataset-uploads.service.js';
import { DatasetsService } from './datasets.service.js';
import { FileContentService } from './file-content.service.js';
import { ImageAnnotationsService } from './image-annotations.service.js';

/** The services of datasets, and where their form files go. */
export function openDatasetServices(
  db: Database,
  states: StateWaits,
  objects: ObjectStore & MultipartStore,
  images: ImageDecoder,
  tables: TableReader,
) {
  const files = new DatasetFilesService(db, states);
  const isArchive = (req: Request) => req.context.route?.endsWith('/archive') === true;
  const intake: UploadIntake = {
    begin: (req) => files.beginUpload(callerOf(req), String(req.params.dataset_id), isArchive(req)),
    discard: (req, key, inS) => files.discardUpload(callerOf(req), key, inS),
  };
  return {
    datasets: new DatasetsService(db, states),
    samples: new DatasetSampleService(db, objects, tables),
    files,
    contents: new FileContentService(db, objects, images),
    annotations: new ImageAnnotationsService(db),
    uploads: new DatasetUploadsService(db, objects),
    intake,
    formLimit: (req: Request) => formLimit(isArchive(req)),
  };
}
