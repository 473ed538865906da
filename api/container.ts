import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import multer, { type Multer } from 'multer';
import type { Settings } from '../core/config/settings.js';
import type { MultipartStore, ObjectStore } from '../core/ports/object-store.js';
import type { Logger } from '../core/logging/logger.js';
import { AUTH_CHANNEL, type AuthChange } from '../models/access/auth-change.js';
import { waitingWork } from '../models/outbox/dispatch.platform.js';
import type { AccountsService } from './accounts/accounts.service.platform.js';
import { wireAccounts } from './accounts/accounts.wiring.js';
import type { AppLocals } from './auth/authentication.js';
import { Authenticator } from './auth/authenticator.platform.js';
import { DeviceAuthenticator } from './auth/device-authenticator.js';
import { OpenRequests } from './auth/open-requests.js';
import { AccessTokens } from './auth/jwt.js';
import { RefusedCalls } from './auth/refused-calls.js';
import { TokenAuthenticator } from './auth/token-authenticator.js';
import {
  type ProcessResources,
  type ProcessOptions,
  type DomainPart,
  openProcessResources,
} from './process-resources.js';
import { wireDatasets } from './datasets/datasets.wiring.js';
import { edgeFollowers, wireDeployments } from './deployments/deployments.wiring.js';
import type { UploadSessions } from './datasets/upload-sessions.js';
import { registerConsole } from './console/console.router.js';
import { registerHome } from './home/home.router.js';
import { wireEdge } from './edge/edge.wiring.js';
import type { OpenApiDocument } from './http/routing/described-routes.js';
import { ForwardedHeaders } from './http/guards/forwarded-headers.js';
import { createHttpMetrics, type HttpMetrics } from './http/routing/metrics.js';
import { ObjectStorageEngine } from './http/bodies/multipart-storage.js';
import { limitedForms } from './http/library-patches/limited-forms.js';
import { backlogGuard } from './http/guards/backlog-guard.js';
import type { RouteTable } from './http/routing/route-table.js';
import { wireMonitoring } from './monitoring/monitoring.wiring.js';
import { wireNotifications } from './notifications/notifications.wiring.js';
import { registerProbes } from './probes/probes.router.js';
import { wireRegistry } from './registry/registry.wiring.js';
import { wireServing } from './serving/serving.wiring.js';
import { wireDatasetSyncs } from './sources/dataset-syncs.wiring.js';
import { wireExternalSources } from './sources/external-sources.wiring.js';
import { EventStreams } from './streams/event-streams.js';
import { SseHub } from './streams/sse-hub.js';
import { isAffectedBy } from './streams/stream-access.rules.js';
import { StreamSeats } from './streams/stream-seats.js';
import { ApiHeartbeat } from './system/api-heartbeat.js';
import { wireSystem } from './system/system.wiring.js';
import { wireTenants } from './tenants/tenants.wiring.js';
import { wireTracker } from './tracker/tracker.wiring.js';
import { ExperimentLogService } from './training/experiment-log.service.js';
import { wireTraining } from './training/training.wiring.js';

/** Everything one API process is made of; the only place that wires it. */
export interface Container extends AppLocals, ProcessResources {
  /** Open event streams; ended before the server waits for its connections. */
  readonly hub: SseHub;
  readonly streams: EventStreams;
  readonly openapi: OpenApiDocument;
  readonly metrics: HttpMetrics;
  readonly multer: Multer;
  readonly accounts: AccountsService;
  readonly rawRouters: ReadonlyArray<(routes: RouteTable) => void>;
  readonly refused: RefusedCalls;
  readonly forwarded: ForwardedHeaders;
  /** Stands before operations that start long work. */
  readonly backlogGuard: RequestHandler;
  /** Ends event streams and held polls; before the server waits for its connections. */
  endWaiting(): void;
  close(): Promise<void>;
}

export async function createContainer(
  settings: Settings,
  logger: Logger,
  options: ProcessOptions = {},
): Promise<Container> {
  const resources = await openProcessResources(settings, logger, options);
  const { db, schema, cache, listener, objects } = resources;
  const experimentLogs = new ExperimentLogService(db, objects);
  const heartbeat = await ApiHeartbeat.start(db, logger);
  const hub = openHub(resources, heartbeat, experimentLogs);
  await listener.start();
  const openapi = readOpenApi();
  const tokens = new AccessTokens(settings.SERVICE_SECRET_KEYS);
  const requests = new OpenRequests();
  const devices = new DeviceAuthenticator(db, cache, settings);
  const authenticator = new Authenticator(db, tokens, cache, requests, devices);
  const streams = new EventStreams(hub, authenticator);
  const refused = new RefusedCalls(db, logger);
  const forwarded = new ForwardedHeaders();
  cutOffWithOwner(resources, requests, authenticator, refused);

  const accounts = wireAccounts(resources, tokens);
  const datasets = wireDatasets(resources);
  const parts: DomainPart[] = [
    accounts,
    datasets,
    wireDatasetSyncs(resources),
    wireExternalSources(resources),
    wireTenants(resources, streams),
    wireSystem(resources, openapi.info.version, forwarded),
    wireRegistry(resources),
    wireMonitoring(resources),
    wireServing(resources),
    wireTracker(resources, new TokenAuthenticator(db, settings.SERVICE_SECRET_KEYS, cache)),
    wireTraining(resources, experimentLogs, streams),
    ...(await wireFleet(resources, streams, datasets.uploads)),
    wireNotifications(resources, streams),
  ];

  return {
    ...resources,
    hub,
    streams,
    openapi,
    metrics: createHttpMetrics(),
    multer: openForms(objects, datasets),
    accounts: accounts.accounts,
    rawRouters: [
      ...parts.flatMap((part) => part.rawRouters ?? []),
      ...ownRouters(resources, openapi.info.version),
    ],
    authenticator,
    controllers: new Map(parts.flatMap((part) => part.controllers)),
    refused,
    forwarded,
    backlogGuard: backlogGuard((most) => waitingWork(db, most), settings.SERVICE_DISPATCH_BACKLOG),
    endWaiting: () => endAll(hub, parts),
    async close() {
      endAll(hub, parts);
      schema.close();
      await heartbeat.stop();
      await listener.stop();
      await resources.events.close();
      for (const part of parts) await part.close?.();
      await refused.close();
      await objects.close();
      await db.close();
    },
  };
}

/** Devices, and what is deployed to them: deployments follow the ends of the edge's commands. */
const wireFleet = async (
  resources: ProcessResources,
  streams: EventStreams,
  uploads: UploadSessions,
): Promise<DomainPart[]> => [
  await wireEdge(resources, streams, uploads, edgeFollowers),
  wireDeployments(resources, streams),
];

/** Where the build leaves the web console, beside the compiled API. */
const CONSOLE = fileURLToPath(new URL('../web', import.meta.url));

function endAll(hub: SseHub, parts: readonly DomainPart[]): void {
  hub.close();
  for (const part of parts) part.endWaiting?.();
}

/** What belongs to no domain. */
const ownRouters = ({ readiness, settings }: ProcessResources, version: string): Container['rawRouters'] => [
  (routes) => registerProbes(routes, readiness),
  (routes) => registerConsole(routes, CONSOLE, workflowPages(settings)),
  (routes) =>
    registerHome(routes, {
      ...{ dataDir: settings.SERVICE_DATA_DIR, version },
      temporalUi: settings.TEMPORAL_UI_URL ?? null,
    }),
];

/** Where Temporal shows the platform's workflows; null where the address of its pages is not known. */
const workflowPages = ({ TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace }: Settings): string | null =>
  url === undefined
    ? null
    : `${url.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;

/** Names keep their folders and are read as UTF-8, as every browser sends them. */
const openForms = (
  objects: ObjectStore & MultipartStore,
  { intake, formLimit }: ReturnType<typeof wireDatasets>,
): Multer =>
  limitedForms(
    multer({
      storage: new ObjectStorageEngine(objects, intake),
      preservePath: true,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 0, parts: 1, headerPairs: 20 },
    }),
    formLimit,
  );

/** The open event streams, asked again whenever something about an account changes. */
function openHub(
  { db, listener, cache, settings, logger }: ProcessResources,
  { place }: ApiHeartbeat,
  experimentLogs: ExperimentLogService,
): SseHub {
  const limits = {
    perUser: settings.SERVICE_STREAMS_PER_USER,
    perTenant: settings.SERVICE_STREAMS_PER_TENANT,
  };
  const hub = new SseHub({
    listener,
    logger,
    seats: new StreamSeats(db, place, limits),
    readLog: (tenantId, id, from, to) => experimentLogs.readRange(tenantId, id, from, to),
  });
  const onAuthChange = (change: AuthChange) => {
    cache.drop(change);
    void hub.recheckWhere((watcher) => isAffectedBy(watcher, change));
  };
  listener.subscribe({
    channel: AUTH_CHANNEL,
    onNotify: (payload) => onAuthChange(JSON.parse(payload) as AuthChange),
    onUp: () => cache.clear(),
  });
  return hub;
}

/** After the caches were dropped, which the hub's subscription does first. */
function cutOffWithOwner(
  { listener }: ProcessResources,
  requests: OpenRequests,
  authenticator: Authenticator,
  refused: RefusedCalls,
): void {
  const recheck = (owner: string | null) =>
    void requests.recheck(owner, (req) => authenticator.isStillAllowed(req));
  listener.subscribe({
    channel: AUTH_CHANNEL,
    onNotify: (payload) => {
      const { tenantId, deviceId } = JSON.parse(payload) as AuthChange;
      if (deviceId !== undefined) recheck(deviceId);
      if (tenantId === undefined) return;
      recheck(tenantId);
      void refused.endTenant(tenantId);
    },
    // Changes were missed while the listener was down.
    onUp: () => recheck(null),
  });
}

function readOpenApi(): OpenApiDocument {
  return JSON.parse(
    readFileSync(new URL('./generated/openapi.json', import.meta.url), 'utf8'),
  ) as OpenApiDocument;
}
