import { createImageDecoder } from '../../adapters/sharp/sharp-image-decoder.js';
import { createTableReader } from '../../adapters/hyparquet/table-reader.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { DatasetFilesController } from './dataset-files.controller.js';
import { openDatasetServices } from './dataset-services.js';
import { DatasetUploadsController } from './dataset-uploads.controller.js';
import { DatasetsController } from './datasets.controller.js';
import { ImageAnnotationsController } from './image-annotations.controller.js';

/** Datasets, their files and uploads; `intake` says where their form files go, `formLimit` what these may have. */
export function wireDatasets({
  db,
  states,
  objects,
}: ProcessResources): DomainPart &
  Pick<ReturnType<typeof openDatasetServices>, 'intake' | 'formLimit' | 'uploads'> {
  const services = openDatasetServices(db, states, objects, createImageDecoder(), createTableReader());
  return {
    intake: services.intake,
    formLimit: services.formLimit,
    uploads: services.uploads,
    controllers: [
      [DatasetsController, () => new DatasetsController(services.datasets, services.samples)],
      [DatasetFilesController, () => new DatasetFilesController(services.files, services.contents)],
      [ImageAnnotationsController, () => new ImageAnnotationsController(services.annotations)],
      [DatasetUploadsController, () => new DatasetUploadsController(services.uploads)],
    ],
  };
}
