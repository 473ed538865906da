import { runtimesFolder } from '../../adapters/process/open-process-runner.js';
import type { Backing, DomainPart } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { TrainingCatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import type { ExperimentLogService } from './experiment-log.service.js';
import { ExperimentsController } from './experiments.controller.js';
import { ExperimentsService } from './experiments.service.js';
import { loadCatalog } from './load-catalog.js';

/** What can be trained, and the experiments that do. */
export function wireTraining(
  { db, hosts, events }: Backing,
  logs: ExperimentLogService,
  streams: EventStreams,
): DomainPart {
  const catalog = new CatalogService(db, loadCatalog(runtimesFolder()), hosts);
  const experiments = new ExperimentsService(db, catalog, events);
  return {
    controllers: [
      [TrainingCatalogController, () => new TrainingCatalogController(catalog)],
      [ExperimentsController, () => new ExperimentsController(experiments, logs, streams)],
    ],
  };
}
