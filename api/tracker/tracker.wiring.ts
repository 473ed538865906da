import { MetricKeys } from '../../models/tracker/metric-keys.js';
import type { TokenAuthenticator } from '../auth/token-authenticator.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { ArtifactArchiveService } from './artifact-archive.service.js';
import { ArtifactIntake } from './artifact-intake.js';
import { registerJobDataset } from './job-dataset.router.js';
import { JobDatasetService } from './job-dataset.service.js';
import { JobLoggingService } from './job-logging.service.js';
import { RunChangesController } from './run-changes.controller.js';
import { RunChangesService } from './run-changes.service.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';
import { mlflowRouter } from '../mlflow/mlflow.wiring.js';

/** Runs for people, and the protocol by which jobs report them. */
export function wireTracker(resources: ProcessResources, tokens: TokenAuthenticator): DomainPart {
  const { db, objects, events, states, settings } = resources;
  const runs = new RunsService(db, objects);
  const changes = new RunChangesService(db, states);
  const archives = new ArtifactArchiveService(db, objects);
  const intake = new ArtifactIntake(db, objects);
  const metricKeys = new MetricKeys();
  const jobs = new JobLoggingService(db, intake, events, settings.SERVICE_SECRET_KEYS, metricKeys);
  const datasets = new JobDatasetService(db, objects, settings.SERVICE_SECRET_KEYS);
  return {
    controllers: [
      [RunsController, () => new RunsController(runs, archives)],
      [RunChangesController, () => new RunChangesController(changes)],
    ],
    rawRouters: [
      mlflowRouter(resources, tokens, { intake, jobs, metricKeys }),
      (routes) => registerJobDataset(routes, datasets),
    ],
  };
}
