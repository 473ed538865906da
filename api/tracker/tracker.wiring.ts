import { MetricKeys } from '../../models/tracker/metric-keys.js';
import type { TokenAuthenticator } from '../auth/token-authenticator.platform.js';
import type { Backing, DomainPart } from '../process-resources.js';
import { ArtifactArchiveService } from './artifact-archive.service.js';
import { registerJobDataset } from './job-dataset.router.js';
import { JobDatasetService } from './job-dataset.service.js';
import { JobLoggingService } from './job-logging.service.js';
import { RunChangesController } from './run-changes.controller.js';
import { RunChangesService } from './run-changes.service.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';
import { registerJobLogging } from './job-logging.router.js';
import { registerMlflowRuns } from '../mlflow/runs.router.js';

/** Runs for people, and the protocol by which jobs report them. */
export function wireTracker(
  { db, objects, events, states, settings }: Backing,
  tokens: TokenAuthenticator,
): DomainPart {
  const runs = new RunsService(db, objects);
  const changes = new RunChangesService(db, states);
  const archives = new ArtifactArchiveService(db, objects);
  const jobs = new JobLoggingService(db, objects, events, settings.SERVICE_SECRET_KEYS, new MetricKeys());
  const datasets = new JobDatasetService(db, objects, settings.SERVICE_SECRET_KEYS);
  return {
    controllers: [
      [RunsController, () => new RunsController(runs, archives)],
      [RunChangesController, () => new RunChangesController(changes)],
    ],
    rawRouters: [
      (routes) => registerMlflowRuns(routes, runs, tokens),
      (routes) => registerJobLogging(routes, jobs),
      (routes) => registerJobDataset(routes, datasets),
    ],
  };
}
