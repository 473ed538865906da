import type { MetricKeys } from '../../models/tracker/metric-keys.js';
import type { TokenAuthenticator } from '../auth/token-authenticator.js';
import type { RouteTable } from '../http/routing/route-table.js';
import type { ProcessResources } from '../process-resources.js';
import type { ArtifactIntake } from '../tracker/artifact-intake.js';
import type { JobLoggingService } from '../tracker/job-logging.service.js';
import { registerArtifacts, registerPutArtifact } from './artifacts/artifacts.router.js';
import { ArtifactsService } from './artifacts/artifacts.service.js';
import { registerPages } from './artifacts/pages.router.js';
import { registerMultipartUploads } from './artifacts/multipart-uploads.router.js';
import { MultipartUploadsService } from './artifacts/multipart-uploads.service.js';
import { registerExperiments } from './experiments/experiments.router.js';
import { ExperimentsService } from './experiments/experiments.service.js';
import { registerLoggedModels } from './logged-models/logged-models.router.js';
import { LoggedModelsService } from './logged-models/logged-models.service.js';
import { registerMetrics } from './metrics/metrics.router.js';
import { MetricsService } from './metrics/metrics.service.js';
import { MlflowModelsService } from './models/mlflow-models.service.js';
import { registerModelVersions } from './models/model-versions.router.js';
import { ModelVersionsService } from './models/model-versions.service.js';
import { registerRegisteredModels } from './models/registered-models.router.js';
import { VersionPromotions } from './models/version-promotions.service.js';
import { MlflowRoutes } from './protocol/mlflow-routes.js';
import { TrackerCallers } from './protocol/tracker-callers.js';
import { MlflowRunsService } from './runs/mlflow-runs.service.js';
import { registerLogBatch, registerRunLogging } from './runs/run-logging.router.js';
import { registerRunSearch } from './runs/run-search.router.js';
import { registerRuns } from './runs/runs.router.js';
import { registerServerInfo } from './server/server-info.router.js';

/** What the protocol shares with the training jobs that report by a part of it. */
export interface TrackerParts {
  readonly intake: ArtifactIntake;
  readonly jobs: JobLoggingService;
  readonly metricKeys: MetricKeys;
}

/** MLflow's protocol under `/tracker`. */
export function mlflowRouter(
  { db, objects, states }: ProcessResources,
  tokens: TokenAuthenticator,
  { intake, jobs, metricKeys }: TrackerParts,
): (table: RouteTable) => void {
  const callers = new TrackerCallers(tokens);
  const experiments = new ExperimentsService(db);
  const runs = new MlflowRunsService(db, metricKeys);
  const artifacts = new ArtifactsService(db, objects, intake);
  const uploads = new MultipartUploadsService(db, objects, intake);
  const versions = new ModelVersionsService(db, new VersionPromotions(db, states));
  return (table) => {
    const routes = new MlflowRoutes(table, callers);
    registerServerInfo(table, uploads);
    registerExperiments(routes, experiments);
    registerRuns(routes, runs);
    registerRunSearch(routes, runs, experiments);
    registerRunLogging(routes, runs);
    registerLogBatch(table, callers, runs, jobs);
    registerMetrics(routes, new MetricsService(db));
    registerArtifacts(routes, artifacts);
    registerPages(routes, artifacts, versions);
    registerMultipartUploads(routes, uploads);
    registerPutArtifact(table, callers, artifacts, jobs);
    registerLoggedModels(routes, new LoggedModelsService(db), experiments);
    registerRegisteredModels(routes, new MlflowModelsService(db));
    registerModelVersions(routes, versions);
  };
}
