import { readFileSync } from 'node:fs';
import path from 'node:path';
import multer, { type Multer } from 'multer';
import { createObjectStore } from '../activities/adapters/minio/minio-object-store.js';
import { createPostgresEventBus } from '../activities/adapters/postgres/postgres-event-bus.js';
import { openProcessRunner, runtimesFolder } from '../activities/adapters/process/open-process-runner.js';
import { checkMailDirectory, checkSmtp } from '../activities/adapters/smtp/mail-health.js';
import { createImageDecoder } from '../activities/adapters/sharp/sharp-image-decoder.js';
import type { Settings } from '../core/config/settings.js';
import type { Logger } from '../core/logging/logger.js';
import type { EventBus } from '../core/ports/event-bus.js';
import type { ObjectStore } from '../core/ports/object-store.js';
import { audit } from '../models/audit/audit.commands.js';
import { hasSessionFrom } from '../models/accounts/account.repository.js';
import { AUTH_CHANNEL, type AuthChange } from '../models/accounts/auth-change.js';
import { Database } from '../models/orm/database.js';
import { Listener } from '../models/orm/listener.js';
import { MetricKeys } from '../models/tracker/metric-keys.js';
import { AccountsService } from './accounts/accounts.service.js';
import { SessionsController } from './accounts/sessions.controller.js';
import { SignInThrottle } from './accounts/sign-in-throttle.js';
import { RecoveryController } from './accounts/recovery.controller.js';
import { RecoveryService } from './accounts/recovery.service.js';
import { UserAdminController } from './accounts/user-admin.controller.js';
import { UserAdminService } from './accounts/user-admin.service.js';
import { AuditController } from './system/audit.controller.js';
import { AuditService } from './system/audit.service.js';
import { configurationFindings } from './system/configuration-hygiene.js';
import { SystemHealthController } from './system/health.controller.js';
import { SystemHealthService } from './system/health.service.js';
import { healthChecks } from './system/health-checks.js';
import { isolationOf } from './system/worker-health.js';
import { registerHome } from './home/home.router.js';
import { SystemUsersController } from './system/users.controller.js';
import { SystemUsersService } from './system/users.service.js';
import { MailTokens } from './auth/mail-tokens.js';
import { UsersController } from './accounts/users.controller.js';
import { DatasetFilesController } from './datasets/dataset-files.controller.js';
import { openDatasetServices } from './datasets/dataset-services.js';
import { DatasetUploadsController } from './datasets/dataset-uploads.controller.js';
import { DatasetsController } from './datasets/datasets.controller.js';
import { Authenticator } from './auth/authenticator.js';
import type { AppLocals, ControllerFactory } from './auth/authentication.js';
import { AccessTokens } from './auth/jwt.js';
import { PasswordHasher } from './auth/password-hasher.js';
import { SessionCache } from './auth/session-cache.js';
import { SignIn } from './auth/sign-in.js';
import { ImagesController } from './images/images.controller.js';
import { ImagesService } from './images/images.service.js';
import { ModelsController } from './registry/models.controller.js';
import { ModelsService } from './registry/models.service.js';
import { ServingController } from './serving/serving.controller.js';
import { ServingProxy } from './serving/serving-proxy.js';
import { ServingProxyController } from './serving/serving-proxy.controller.js';
import { ServingService } from './serving/serving.service.js';
import type { OpenApiDocument } from './http/described-routes.js';
import { createHttpMetrics, type HttpMetrics } from './http/metrics.js';
import { ObjectStorageEngine } from './http/multipart-storage.js';
import { actorOf } from './http/request-context.js';
import type { RouteTable } from './http/route-table.js';
import { EventStreams } from './streams/event-streams.js';
import { concerns, SseHub } from './streams/sse-hub.js';
import { TenantSettingsController } from './tenants/tenant-settings.controller.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { TenantsService } from './tenants/tenants.service.js';
import { ArtifactArchiveService } from './tracker/artifact-archive.service.js';
import { JobLoggingService } from './tracker/job-logging.service.js';
import { RunsController } from './tracker/runs.controller.js';
import { RunsService } from './tracker/runs.service.js';
import { registerTracker } from './tracker/tracker.router.js';
import { TrainingCatalogController } from './training/catalog.controller.js';
import { CatalogService } from './training/catalog.service.js';
import { ExperimentLogService } from './training/experiment-log.service.js';
import { ExperimentsController } from './training/experiments.controller.js';
import { ExperimentsService } from './training/experiments.service.js';
import { loadCatalog } from './training/load-catalog.js';
import type { Request } from 'express';

/** Everything one API process is made of; the only place that wires it. */
export interface Container extends AppLocals {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly db: Database;
  readonly events: EventBus;
  /** Open event streams; ended before the server waits for its connections. */
  readonly hub: SseHub;
  readonly streams: EventStreams;
  readonly openapi: OpenApiDocument;
  readonly metrics: HttpMetrics;
  readonly objects: ObjectStore;
  readonly multer: Multer;
  readonly accounts: AccountsService;
  readonly rawRouters: ReadonlyArray<(routes: RouteTable) => void>;
  readonly onDenied: (req: Request, errorId: string) => void;
  close(): Promise<void>;
}

export async function createContainer(settings: Settings, logger: Logger): Promise<Container> {
  const db = await Database.open({
    appUrl: settings.DATABASE_URL,
    platformUrl: settings.DATABASE_PLATFORM_URL,
    appPool: settings.SERVICE_DB_POOL,
    platformPool: 4,
    applicationName: 'visionops-api',
  });
  const listener = new Listener({ connectionString: settings.DATABASE_PLATFORM_URL, applicationName: 'visionops-api-listen' });
  const cache = new SessionCache(() => listener.isUp);
  const objects = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
    bucket: settings.S3_BUCKET,
  });
  const experimentLogs = new ExperimentLogService(db, objects);
  const hub = new SseHub({
    listener,
    logger,
    limits: { perUser: settings.SERVICE_STREAMS_PER_USER, perTenant: settings.SERVICE_STREAMS_PER_TENANT },
    readLog: (tenantId, id, from, to) => experimentLogs.readRange(tenantId, id, from, to),
  });
  const onAuthChange = (change: AuthChange) => {
    cache.drop(change);
    void hub.recheckWhere((watcher) => concerns(watcher, change));
  };
  listener.subscribe({ channel: AUTH_CHANNEL, onNotify: (payload) => onAuthChange(JSON.parse(payload) as AuthChange), onUp: () => cache.drop({}) });
  await listener.start();
  const events = createPostgresEventBus({
    connectionString: settings.DATABASE_URL,
    applicationName: 'visionops-api-events',
    onLost: (count, error) => logger.warn({ err: error, count }, 'event hints lost'),
  });

  const openapi = readOpenApi();

  const tokens = new AccessTokens(settings.SERVICE_SECRET_KEYS);
  const hasher = new PasswordHasher();
  const throttle = new SignInThrottle((email, address) => db.inPlatform((tx) => hasSessionFrom(tx, email, address)));
  const accounts = new AccountsService(db, hasher, tokens, cache, throttle, settings.SERVICE_AUTH_TOKEN_LIFETIME);
  const signIn = new SignIn(accounts, throttle);
  const cookie = { secure: settings.SERVICE_BASE_URL.startsWith('https:'), lifetimeS: settings.SERVICE_AUTH_TOKEN_LIFETIME };

  const authenticator = new Authenticator(db, tokens, cache);
  const streams = new EventStreams(hub, authenticator);
  const tenants = new TenantsService(db, cache);
  const recovery = new RecoveryService(db, hasher, new MailTokens(settings.SERVICE_SECRET_KEYS), cache);
  const userAdmin = new UserAdminService(db, hasher, cache);
  const auditTrail = new AuditService(db);
  const health = new SystemHealthService({
    version: openapi.info.version,
    checks: healthChecks(db, {
      isListening: () => listener.isUp,
      objectStore: () => objects.ping(),
      // Loaded when first asked: nothing else in this process speaks to Temporal.
      temporal: async () => (await import('../activities/adapters/temporal/temporal-health.js')).checkTemporal(settings.TEMPORAL_ADDRESS, settings.TEMPORAL_NAMESPACE, 1900),
      mail: (signal) => (settings.SMTP_URL === undefined ? checkMailDirectory(path.join(settings.SERVICE_DATA_DIR, 'mail')) : checkSmtp(settings.SMTP_URL, signal)),
    }),
    configuration: async () => configurationFindings(settings, await isolationOf(db)),
  });
  const places = { baseUrl: settings.SERVICE_BASE_URL.replace(/\/+$/, ''), registryHost: new URL(settings.SERVICE_BASE_URL).host };
  const models = new ModelsService(db, objects, places.registryHost);
  const images = new ImagesService(db, places.registryHost);
  const workloads = openProcessRunner(settings, logger);
  const serving = new ServingService(db, workloads, settings.SERVICE_SECRET_KEYS, places);
  const proxy = new ServingProxy();
  const systemUsers = new SystemUsersService(db, hasher, cache);
  const runs = new RunsService(db, objects);
  const archives = new ArtifactArchiveService(db, objects);
  const catalog = new CatalogService(db, loadCatalog(runtimesFolder()), workloads);
  const experiments = new ExperimentsService(db, catalog, events);
  const jobs = new JobLoggingService(db, objects, events, settings.SERVICE_SECRET_KEYS, new MetricKeys());

  const datasets = openDatasetServices(db, objects, createImageDecoder());

  const controllers = new Map<unknown, ControllerFactory>([
    [DatasetsController, () => new DatasetsController(datasets.datasets)],
    [DatasetFilesController, () => new DatasetFilesController(datasets.files, datasets.contents)],
    [DatasetUploadsController, () => new DatasetUploadsController(datasets.uploads)],
    [SessionsController, () => new SessionsController(signIn, accounts, cookie)],
    [TenantsController, () => new TenantsController(tenants)],
    [TenantSettingsController, () => new TenantSettingsController(tenants)],
    [RecoveryController, () => new RecoveryController(recovery)],
    [UserAdminController, () => new UserAdminController(userAdmin)],
    [SystemUsersController, () => new SystemUsersController(systemUsers)],
    [AuditController, () => new AuditController(auditTrail)],
    [SystemHealthController, () => new SystemHealthController(health)],
    [RunsController, () => new RunsController(runs, archives)],
    [TrainingCatalogController, () => new TrainingCatalogController(catalog)],
    [ExperimentsController, () => new ExperimentsController(experiments, experimentLogs, streams)],
    [UsersController, () => new UsersController(accounts)],
    [ModelsController, () => new ModelsController(models)],
    [ImagesController, () => new ImagesController(images)],
    [ServingController, () => new ServingController(serving)],
    [ServingProxyController, () => new ServingProxyController(serving, proxy)],
  ]);

  return {
    settings,
    logger,
    db,
    events,
    hub,
    streams,
    openapi,
    metrics: createHttpMetrics(),
    objects,
    // Names keep their folders and are read as UTF-8, as every browser sends them.
    multer: multer({
      storage: new ObjectStorageEngine(objects, datasets.intake),
      preservePath: true,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 0, parts: 1, headerPairs: 20 },
    }),
    accounts,
    rawRouters: [
      (routes) => registerTracker(routes, jobs, logger),
      (routes) => registerHome(routes, { dataDir: settings.SERVICE_DATA_DIR, version: openapi.info.version, temporalUi: settings.TEMPORAL_UI_URL ?? null }),
    ],
    authenticator,
    controllers,
    onDenied: (req, errorId) => void recordDenied(db, req, errorId).catch((error) => logger.warn({ err: error }, 'audit of a refused call failed')),
    async close() {
      hub.close();
      await listener.stop();
      await events.close();
      await proxy.close();
      await objects.close();
      await db.close();
    },
  };
}

function readOpenApi(): OpenApiDocument {
  return JSON.parse(readFileSync(new URL('./generated/openapi.json', import.meta.url), 'utf8')) as OpenApiDocument;
}

/** A refused privileged call has an audit row of its own (DECISIONS B37). */
async function recordDenied(db: Database, req: Request, errorId: string): Promise<void> {
  const tenantId = req.context.access?.tenantId ?? null;
  const target = { kind: 'operation', id: req.context.operationId ?? 'unknown' };
  await db.inPlatform((tx) => audit(tx, tenantId, actorOf(req), { action: 'access.denied', target, outcome: 'denied', errorId }));
}
