import { runtimesFolder } from '../../adapters/process/runtimes-folder.js';
import { openWeightsFolder } from '../../adapters/weights/weights-folder.js';
import { baseUrl } from '../../core/config/settings.js';
import { jobSettings } from '../../models/training/jobs/job-spec.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { TrainingCatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { DatasetPreviewService } from './dataset-preview.service.js';
import type { ExperimentLogService } from './experiment-log.service.js';
import { ExperimentRunController } from './experiment-run.controller.js';
import { ExperimentRunService } from './experiment-run.service.js';
import { ExperimentsController } from './experiments.controller.js';
import { ExperimentsService } from './experiments.service.js';
import { ExportController } from './export/export.controller.js';
import { ExportService } from './export/export.service.js';
import { ForecastService } from './forecast.service.js';
import { LaunchService } from './launch.service.js';
import { loadCatalog } from './load-catalog.js';
import { PresetsController } from './presets.controller.js';
import { PresetsService } from './presets.service.js';
import { VersionWeightsService } from './version-weights.service.js';

/** What can be trained, and the experiments that do. */
export function wireTraining(
  { db, objects, hosts, events, settings }: ProcessResources,
  logs: ExperimentLogService,
  streams: EventStreams,
): DomainPart {
  const known = loadCatalog(runtimesFolder());
  const weights = openWeightsFolder(settings.SERVICE_WEIGHTS_DIR);
  const catalog = new CatalogService(db, known, hosts, weights);
  const exports = new ExportService(db, known);
  const job = jobSettings(settings);
  const presets = new PresetsService(db, catalog);
  const versions = new VersionWeightsService(db, objects);
  const experiments = new ExperimentsService(db, catalog, presets, versions, events, job.memoryBytes);
  const previews = new DatasetPreviewService(db);
  const runs = new ExperimentRunService(db, objects);
  const forecasts = new ForecastService(db, catalog, job);
  const launches = new LaunchService(db, job);
  return {
    controllers: [
      [TrainingCatalogController, () => new TrainingCatalogController(catalog, previews, presets)],
      [PresetsController, () => new PresetsController(presets)],
      [ExperimentRunController, () => new ExperimentRunController(runs, launches, baseUrl(settings))],
      [ExportController, () => new ExportController(exports)],
      [ExperimentsController, () => new ExperimentsController(experiments, forecasts, logs, streams)],
    ],
  };
}
