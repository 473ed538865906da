import { hostname } from 'node:os';
import path from 'node:path';
import { internalUrl, type Settings } from '../core/config/settings.js';
import type { Logger } from '../core/logging/logger.js';
import { type Clock, systemClock } from '../core/ports/clock.js';
import type { EventBus } from '../core/ports/event-bus.js';
import type { ObjectStore, UnfinishedUploads } from '../core/ports/object-store.js';
import type { RemoteSource } from '../core/ports/remote-source.js';
import type { WorkflowEngine } from '../core/ports/workflow-engine.js';
import type { KeptMails } from '../core/ports/kept-mails.js';
import type { WorkflowHistories } from '../core/ports/workflow-histories.js';
import type { WorkloadRunner } from '../core/ports/workload-runner.js';
import { uploadWorkflowId, validationWorkflowId } from '../models/datasets/dataset-work.types.js';
import { modelImageWorkflowId } from '../models/images/image-work.types.js';
import type { MailPace } from '../models/notifications/fan-out.commands.js';
import { Database } from '../models/orm/database.js';
import type { WorkloadPlace } from '../models/system/workload-host.rules.js';
import { Listener } from '../models/orm/listener.js';
import { syncWorkflowId } from '../models/sources/dataset-sync-work.types.js';
import { trainingWorkflowId } from '../models/training/training-work.types.js';
import { MAINTENANCE_EVERY_S, MAINTENANCE_SCHEDULE, MAINTENANCE_WORKFLOW } from '../workflows/system/maintenance.contract.js';
import { CONTROL_QUEUE } from '../core/events/task-queues.js';
import { createRemoteSource } from './adapters/http/http-remote-source.js';
import { outboundAccess } from './adapters/http/outbound-access.js';
import { createImageDecoder } from './adapters/sharp/sharp-image-decoder.js';
import { createTableReader } from './adapters/tables/table-reader.js';
import { zipReader } from './adapters/yauzl/zip-reader.js';
import { createDatasetMaintenance } from './datasets/dataset-maintenance.js';
import { createDatasetUploadActivities, type DatasetUploadActivities } from './datasets/dataset-upload.activities.js';
import { createDatasetValidationActivities, type DatasetValidationActivities } from './datasets/dataset-validation.activities.js';
import { createLooseObjectSweeper } from './objects/loose-object-sweeper.js';
import { openObjectStore } from './adapters/minio/open-object-store.js';
import { createPostgresEventBus } from './adapters/postgres/postgres-event-bus.js';
import { writeLayer } from './adapters/oci/layer-archive.js';
import { openProcessRunner, runtimesFolder } from './adapters/process/open-process-runner.js';
import { workloadsRoot } from './adapters/process/reachable-places.js';
import { storeId } from './adapters/process/store-id.js';
import { openKeptMails, openMailer } from './adapters/smtp/open-mailer.js';
import { prepareNamespace } from './adapters/temporal/prepare-namespace.js';
import { upsertSchedule } from './adapters/temporal/schedules.js';
import { temporalAccess } from './adapters/temporal/temporal-access.js';
import { createWorkflowEngine } from './adapters/temporal/temporal-workflow-engine.js';
import { createWorkflowHistories } from './adapters/temporal/temporal-histories.js';
import { Dispatcher, type DispatcherDeps } from './dispatch/dispatcher.js';
import { createMailRemoval } from './dispatch/mail-removal.js';
import { createImageSweep } from './images/image-sweep.js';
import { sweepLayerFolders } from './images/layer-folders.js';
import { createModelImageActivities, type ModelImageActivities } from './images/model-image.activities.js';
import { createNotificationFanOut } from './notifications/notification-fan-out.js';
import { createNotificationHousekeeping } from './notifications/notification-housekeeping.js';
import { createNotificationMails } from './notifications/notification-mails.js';
import { probeEndpoint } from './serving/endpoint-probe.js';
import { createServingActivities } from './serving/serving.activities.js';
import { createServingWatch } from './serving/serving-watch.js';
import { createDatasetSyncActivities, type DatasetSyncActivities } from './sources/dataset-sync.activities.js';
import { createSyncSchedule } from './sources/sync-schedule.js';
import type { BackgroundLoop } from './support/background.js';
import { type ActivityMap, mergeActivities } from './support/merge-activities.js';
import type { createWorkerMetrics } from './support/worker-metrics.js';
import { createAuditCounter } from './system/audit-counter.js';
import { createHeartbeatLoop } from './system/heartbeat-loop.js';
import { createAuditSealer } from './system/audit-sealer.js';
import type { MaintenanceTask } from './support/maintenance-task.js';
import { createMaintenanceActivities } from './system/maintenance.activities.js';
import { createPlatformMaintenance } from './system/maintenance-tasks.js';
import { createStalledWorkTasks, type StalledKind } from './system/stalled-work.js';
import { claimWorkloads, createWorkloadHostLoop } from './system/workload-host.js';
import { createWorkloadLoop } from './system/workload-loop.js';
import { createLateArrivals } from './tenants/late-arrivals.js';
import { createRetentionTasks } from './tenants/retention-tasks.js';
import { createTenantDeletionActivities } from './tenants/tenant-deletion.activities.js';
import type { JobSettings } from './training/job-spec.js';
import { createTrainingActivities } from './training/create-training-activities.js';
import type { TrainingActivities } from './training/training.activities.js';
import { createTrainingMaintenance } from './training/training-housekeeping.js';

/** What the activities of every domain may ask for; each factory takes the part it needs. */
export interface ActivityDeps {
  readonly settings: Settings;
  readonly database: Database;
  readonly objects: ObjectStore & UnfinishedUploads;
  readonly events: EventBus;
  readonly remote: RemoteSource;
  readonly workloads: WorkloadRunner;
  readonly engine: Pick<WorkflowEngine, 'isOpen'>;
  readonly histories: WorkflowHistories;
  readonly mails: KeptMails;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Every domain appends the factory of its activities (`createXActivities(deps)`); names are unique across domains. */
export function createActivities(deps: ActivityDeps): ActivityMap {
  const images = createModelImageActivities({ ...deps, runtimesDir: runtimesFolder(), tempDir: tempFolder(deps.settings), writeLayer });
  const uploads = createDatasetUploadActivities({ ...deps, archives: zipReader });
  const training = createTrainingActivities({ ...deps, job: jobSettings(deps.settings) });
  const validation = createDatasetValidationActivities({ ...deps, images: createImageDecoder(), tables: createTableReader() });
  const syncs = createDatasetSyncActivities({
    ...deps,
    keys: deps.settings.SERVICE_SECRET_KEYS,
    parallel: deps.settings.SERVICE_SYNC_PARALLEL,
    patienceMs: deps.settings.SERVICE_SYNC_PATIENCE_S * 1000,
  });
  return mergeActivities([
    createMaintenanceActivities(createMaintenanceTasks(deps, stalledKinds({ ...images, ...uploads, ...training, ...validation, ...syncs }))),
    createTenantDeletionActivities({ ...deps, keys: deps.settings.SERVICE_SECRET_KEYS }),
    createServingActivities({ ...deps, keys: deps.settings.SERVICE_SECRET_KEYS, probe: probeEndpoint }),
    images,
    uploads,
    training,
    validation,
    syncs,
  ]);
}

type ClosingActivities = Pick<TrainingActivities, 'endAttempt'> &
  Pick<DatasetValidationActivities, 'abandonDatasetValidation'> &
  Pick<DatasetUploadActivities, 'failDatasetUpload'> &
  Pick<DatasetSyncActivities, 'abandonSync'> &
  Pick<ModelImageActivities, 'failModelImage'>;

/** How active rows end whose workflow is gone: as the workflow itself would have ended them. */
const stalledKinds = (closing: ClosingActivities): StalledKind[] => [
  {
    kind: 'training',
    workflowId: ({ tenantId, id, attempt }) => trainingWorkflowId({ tenantId, experimentId: id, attempt }),
    fail: ({ tenantId, id, attempt }, message) => closing.endAttempt({ tenantId, experimentId: id, attempt }, { status: 'FAILED', message }),
  },
  {
    kind: 'dataset-validation',
    workflowId: ({ tenantId, id, attempt }) => validationWorkflowId({ tenantId, datasetId: id, attempt }),
    fail: ({ tenantId, id, attempt }, reason) => closing.abandonDatasetValidation({ tenantId, datasetId: id, attempt }, reason),
  },
  {
    kind: 'dataset-upload',
    workflowId: ({ tenantId, id }) => uploadWorkflowId({ tenantId, uploadId: id }),
    fail: ({ tenantId, id }, message) => closing.failDatasetUpload({ tenantId, uploadId: id }, { code: 'internal_error', message }),
  },
  {
    kind: 'dataset-sync',
    workflowId: ({ tenantId, id }) => syncWorkflowId({ tenantId, syncId: id }),
    fail: ({ tenantId, id }, message) => closing.abandonSync({ tenantId, syncId: id }, { status: 'failed', code: 'internal_error', message }),
  },
  {
    kind: 'model-image',
    workflowId: ({ tenantId, id, attempt }) => modelImageWorkflowId({ tenantId, imageId: id, attempt }),
    fail: ({ tenantId, id, attempt }, reason) => closing.failModelImage({ tenantId, imageId: id, attempt }, reason),
  },
];

/** What the hourly housekeeping runs, in this order; every domain appends its tasks. */
function createMaintenanceTasks(deps: ActivityDeps, stalled: readonly StalledKind[]): MaintenanceTask[] {
  return [
    ...createStalledWorkTasks(deps, stalled),
    ...createPlatformMaintenance(deps.database, deps.clock),
    createImageSweep(deps.database, deps.objects),
    ...createDatasetMaintenance(deps.database),
    ...createTrainingMaintenance(deps),
    ...createRetentionTasks(deps.database),
    createLateArrivals(deps, deps.clock),
    ...createNotificationHousekeeping(deps.database, deps.clock),
  ];
}

const tempFolder = (settings: Settings): string => path.resolve(settings.SERVICE_DATA_DIR, 'tmp');

const jobSettings = (settings: Settings): JobSettings => ({
  apiUrl: internalUrl(settings),
  keys: settings.SERVICE_SECRET_KEYS,
  memoryBytes: settings.SERVICE_TRAINING_MEMORY_MB * 2 ** 20,
  timeoutS: settings.SERVICE_TRAINING_TIMEOUT_S === 0 ? null : settings.SERVICE_TRAINING_TIMEOUT_S,
});

/** Loops of the domains that run as long as the worker does; append here. */
function createLoops(deps: ActivityDeps): BackgroundLoop[] {
  return [
    createAuditSealer(deps.database),
    createAuditCounter(deps.database),
    createHeartbeatLoop({ database: deps.database, workloads: deps.workloads, orchestrator: deps.settings.SERVICE_ORCHESTRATOR }),
    createServingWatch(deps.database, deps.workloads),
    createSyncSchedule(deps.database, deps.logger),
    createLooseObjectSweeper(deps),
    createNotificationMails({ ...deps, keys: deps.settings.SERVICE_SECRET_KEYS, baseUrl: deps.settings.SERVICE_BASE_URL }),
  ];
}

export interface WorkerParts {
  readonly database: Database;
  readonly listener: Listener;
  readonly activities: ActivityMap;
  /** Readiness checks by name. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** @param onLost called when another machine took the workloads over: this worker must end */
  background(metrics: ReturnType<typeof createWorkerMetrics>, onLost: () => void): BackgroundLoop[];
  /** Bucket, namespace, search attribute and schedules; idempotent, throws while Temporal or the store is away. */
  prepareTemporal(): Promise<void>;
  /** To be awaited before anything runs. @throws WorkloadsHeldElsewhere when another machine runs the workloads */
  claimWorkloads(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The first mail of notifications waits half a minute for what else happens; then at most one in a quarter of an hour. */
const MAIL_PACE: MailPace = { settleS: 30, windowS: 900 };

const PLATFORM_POOL = 4;
const CHECK_MS = 2000;

/** The worker's composition root. */
export async function openWorker(settings: Settings, logger: Logger): Promise<WorkerParts> {
  await sweepLayerFolders(tempFolder(settings));
  const database = await Database.open({
    appUrl: settings.DATABASE_URL,
    platformUrl: settings.DATABASE_PLATFORM_URL,
    appPool: settings.SERVICE_DB_POOL,
    platformPool: PLATFORM_POOL,
    applicationName: 'visionops-worker',
  });
  const listener = new Listener({ connectionString: settings.DATABASE_PLATFORM_URL, applicationName: 'visionops-worker-listen' });
  const objects = openObjectStore(settings);
  const events = createPostgresEventBus({
    connectionString: settings.DATABASE_URL,
    applicationName: 'visionops-worker-events',
    onLost: (count, error) => logger.warn({ err: error, count }, 'event hints lost'),
  });
  const engine = createWorkflowEngine(temporalPlace(settings));
  const histories = createWorkflowHistories(temporalPlace(settings));
  const runner = openProcessRunner(settings, logger);
  const host = { database, place: workloadPlace(settings), logger };
  const mails = openKeptMails(settings);
  const remote = createRemoteSource(outboundAccess(settings));
  const deps: ActivityDeps = { settings, database, objects, events, remote, workloads: runner, engine, histories, mails, clock: systemClock, logger };
  return {
    database,
    listener,
    activities: createActivities(deps),
    checks: {
      database: () => database.ping(),
      object_store: () => objects.ping(),
      temporal: async () => void (await engine.connection.withDeadline(Date.now() + CHECK_MS, () => engine.connection.workflowService.getSystemInfo({}))),
    },
    claimWorkloads: (signal) => claimWorkloads(host, signal),
    background: (metrics, onLost) => {
      const dispatching: DispatcherDeps = {
        database,
        listener,
        engine,
        mailer: openMailer(settings, logger),
        removeMails: createMailRemoval(database, mails),
        keys: settings.SERVICE_SECRET_KEYS,
        logger,
        observe: (kind, outcome) => metrics.entries.inc({ kind, outcome }),
      };
      return [
        { name: 'dispatcher', run: (signal) => new Dispatcher(dispatching).run(signal) },
        { name: 'mail-dispatcher', run: (signal) => new Dispatcher(dispatching, 'mail').run(signal) },
        createWorkloadLoop({ runner, connectionString: settings.DATABASE_URL, place: `${hostname()}:${path.resolve(settings.SERVICE_DATA_DIR)}`, logger }),
        createWorkloadHostLoop(host, onLost),
        createNotificationFanOut({ ...deps, listener }, MAIL_PACE),
        ...createLoops(deps),
      ];
    },
    prepareTemporal: async () => {
      await objects.ensureBucket();
      await prepareNamespace(engine.connection, settings.TEMPORAL_NAMESPACE);
      await upsertSchedule(engine.client, { scheduleId: MAINTENANCE_SCHEDULE, workflowType: MAINTENANCE_WORKFLOW, taskQueue: CONTROL_QUEUE, everyS: MAINTENANCE_EVERY_S });
    },
    close: async () => {
      await listener.stop();
      await events.close();
      await engine.close();
      await remote.close();
      await histories.close();
      await objects.close();
      await database.close();
    },
  };
}

const temporalPlace = (settings: Settings) => ({ ...temporalAccess(settings), namespace: settings.TEMPORAL_NAMESPACE });

function workloadPlace(settings: Settings): WorkloadPlace {
  const dataDir = path.resolve(settings.SERVICE_DATA_DIR);
  return { host: hostname(), storeId: storeId(workloadsRoot(dataDir)), dataDir };
}
