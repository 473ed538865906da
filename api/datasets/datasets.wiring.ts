import { createImageDecoder } from '../../activities/adapters/sharp/sharp-image-decoder.js';
import { createTableReader } from '../../activities/adapters/tables/table-reader.js';
import type { Backing, DomainPart } from '../backing.js';
import type { UploadIntake } from '../http/multipart-storage.js';
import { DatasetFilesController } from './dataset-files.controller.js';
import { openDatasetServices } from './dataset-services.js';
import { DatasetUploadsController } from './dataset-uploads.controller.js';
import { DatasetsController } from './datasets.controller.js';

/** Datasets, their files and uploads; `intake` says where their form files go. */
export function wireDatasets({ db, objects }: Backing): DomainPart & { readonly intake: UploadIntake } {
  const services = openDatasetServices(db, objects, createImageDecoder(), createTableReader());
  return {
    intake: services.intake,
    controllers: [
      [DatasetsController, () => new DatasetsController(services.datasets, services.samples)],
      [DatasetFilesController, () => new DatasetFilesController(services.files, services.contents)],
      [DatasetUploadsController, () => new DatasetUploadsController(services.uploads)],
    ],
  };
}
