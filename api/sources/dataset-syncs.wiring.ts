import type { DomainPart, ProcessResources } from '../process-resources.js';
import { DatasetSyncsController } from './dataset-syncs.controller.js';
import { DatasetSyncsService } from './dataset-syncs.service.js';

/** Syncs of datasets with external sources. */
export function wireDatasetSyncs({ db, states }: ProcessResources): DomainPart {
  const syncs = new DatasetSyncsService(db, states);
  return { controllers: [[DatasetSyncsController, () => new DatasetSyncsController(syncs)]] };
}
