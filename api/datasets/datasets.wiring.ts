import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { Database } from '../../models/orm/database.js';
import type { ControllerFactory } from '../auth/authentication.js';
import type { UploadIntake } from '../http/multipart-storage.js';
import { callerOf } from '../http/request-context.js';
import { DatasetFilesController } from './dataset-files.controller.js';
import { DatasetFilesService } from './dataset-files.service.js';
import { DatasetUploadsController } from './dataset-uploads.controller.js';
import { DatasetUploadsService } from './dataset-uploads.service.js';
import { DatasetsController } from './datasets.controller.js';
import { DatasetsService } from './datasets.service.js';
import { FileContentService } from './file-content.service.js';

/** The datasets' part of the API: its controllers, and where its form files go. */
export function wireDatasets(db: Database, objects: ObjectStore, images: ImageDecoder): { controllers: ReadonlyArray<readonly [unknown, ControllerFactory]>; intake: UploadIntake } {
  const datasets = new DatasetsService(db);
  const files = new DatasetFilesService(db);
  const contents = new FileContentService(db, objects, images);
  const uploads = new DatasetUploadsService(db, objects);
  return {
    controllers: [
      [DatasetsController, () => new DatasetsController(datasets)],
      [DatasetFilesController, () => new DatasetFilesController(files, contents)],
      [DatasetUploadsController, () => new DatasetUploadsController(uploads)],
    ],
    intake: {
      begin: (req) => files.beginUpload(callerOf(req), String(req.params.dataset_id), req.context.route?.endsWith('/archive') === true),
      discard: (req, key) => files.discardUpload(callerOf(req), key),
    },
  };
}
