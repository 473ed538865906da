import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectPump } from '../../core/ports/object-pump.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { TableReader } from '../../core/ports/table-reader.js';
import type { Database } from '../../models/orm/database.js';
import type { UploadIntake } from '../http/multipart-storage.js';
import { callerOf } from '../http/request-context.js';
import { DatasetFilesService } from './dataset-files.service.js';
import { DatasetSampleService } from './dataset-sample.service.js';
import { DatasetUploadsService } from './dataset-uploads.service.js';
import { DatasetsService } from './datasets.service.js';
import { FileContentService } from './file-content.service.js';

/** The services of datasets, and where their form files go. */
export function openDatasetServices(db: Database, objects: ObjectStore & ObjectPump, images: ImageDecoder, tables: TableReader) {
  const files = new DatasetFilesService(db);
  const intake: UploadIntake = {
    begin: (req) => files.beginUpload(callerOf(req), String(req.params.dataset_id), req.context.route?.endsWith('/archive') === true),
    discard: (req, key, inS) => files.discardUpload(callerOf(req), key, inS),
  };
  return {
    datasets: new DatasetsService(db),
    samples: new DatasetSampleService(db, objects, tables),
    files,
    contents: new FileContentService(db, objects, images),
    uploads: new DatasetUploadsService(db, objects),
    intake,
  };
}
