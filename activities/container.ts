import { openWorkloadRunner } from '../adapters/process/open-workload-runner.js';
import type { Settings } from '../core/config/settings.js';
import type { Logger } from '../core/logging/logger.js';
import type { Database } from '../models/orm/in-tenant.js';
import type { Listener } from '../models/orm/listener.js';
import type { SchemaWatch } from '../models/system/schema-watch.platform.js';
import { wireDatasets } from './datasets/datasets.wiring.js';
import { wireDeployments } from './deployments/deployments.wiring.js';
import { wireDispatch } from './dispatch/dispatch.wiring.js';
import { wireEdge } from './edge/edge.wiring.js';
import { layerFolder, wireImages } from './images/images.wiring.js';
import { sweepLayerFolders } from './images/layer-folders.js';
import { wireNotifications } from './notifications/notifications.wiring.js';
import { wireObjects } from './objects/objects.wiring.js';
import { wireRegistry } from './registry/registry.wiring.js';
import { wireServing } from './serving/serving.wiring.js';
import { wireSources } from './sources/sources.wiring.js';
import type { BackgroundLoop } from './support/background.js';
import type { DomainWork, WorkerDeps } from './support/domain-work.js';
import { type ActivityMap, mergeActivities } from './support/merge-activities.js';
import { openPorts } from './support/ports.wiring.js';
import type { createWorkerMetrics } from './support/worker-metrics.js';
import { createHeartbeatLoop } from './system/heartbeat-loop.js';
import { createTemporalUpkeep, endEarlierWorkloads, prepareTemporal } from './system/installation.wiring.js';
import { createSchemaLoop } from './system/schema-loop.js';
import { wireSystem } from './system/system.wiring.js';
import { wireTenants } from './tenants/tenants.wiring.js';
import { wireTraining } from './training/training.wiring.js';
import { createFreshDownloads } from './workloads/fresh-downloads.js';
import type { WorkloadLogs } from './workloads/workload-logs.js';
import { wireHost, wireHostWatch } from './workloads/workloads.wiring.js';

export interface WorkerParts {
  readonly database: Database;
  readonly listener: Listener;
  /** Whether the schema is one that this program can serve. */
  readonly schema: SchemaWatch;
  readonly activities: ActivityMap;
  /** Readiness checks by name. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** What is reported beside them. */
  readonly notes: Readonly<Record<string, () => Promise<void>>>;
  /** @param onLost called when the schema fits no longer: this worker must end */
  background(metrics: ReturnType<typeof createWorkerMetrics>, onLost: () => void): BackgroundLoop[];
  /** To be awaited before anything runs here. */
  endEarlierWorkloads(): Promise<void>;
  /** Makes the bucket where it is missing. Idempotent; throws while the store is away. */
  prepareBucket(): Promise<void>;
  /** Namespace, search attribute and schedules; idempotent, throws while Temporal is away. */
  prepareTemporal(): Promise<void>;
  close(): Promise<void>;
}

/** Every domain of the worker, in the order in which their housekeeping runs. */
function wireDomains(deps: WorkerDeps): DomainWork[] {
  const wirings = [
    ...[wireImages, wireDatasets, wireTraining, wireTenants, wireNotifications, wireSources],
    ...[wireRegistry, wireServing, wireEdge, wireDeployments, wireObjects],
  ];
  const domains = wirings.map((wire) => wire(deps));
  return [wireSystem(deps, domains), ...domains];
}

/** The worker's composition root. */
export async function openWorker(settings: Settings, logger: Logger): Promise<WorkerParts> {
  await sweepLayerFolders(layerFolder(settings));
  const { deps, schema, checks, notes, close } = await openPorts(settings, logger);
  const { database, listener } = deps;
  const roles = settings.SERVICE_WORKER_ROLES;
  const domains = wireDomains(deps);
  const host = roles.has('host')
    ? await openWorkloadRunner(settings, createFreshDownloads(deps), logger)
    : null;
  return {
    ...{ database, listener, schema, checks, notes, close },
    activities: mergeActivities(domains.map((domain) => domain.activities ?? {})),
    endEarlierWorkloads: async () => (host === null ? undefined : endEarlierWorkloads(deps, host.hostId)),
    background: (metrics, onLost) => [
      createHeartbeatLoop(database),
      createSchemaLoop(schema, onLost),
      ...(host === null ? [] : wireHost(deps, host, logsOf(domains))),
      ...(roles.has('control')
        ? [
            ...wireDispatch(deps, metrics),
            wireHostWatch(deps),
            createTemporalUpkeep(deps),
            ...domains.flatMap(({ loops }) => loops ?? []),
          ]
        : []),
    ],
    prepareBucket: () => deps.objects.ensureBucket(),
    prepareTemporal: () => prepareTemporal(deps),
  };
}

const logsOf = (domains: readonly DomainWork[]): WorkloadLogs[] =>
  domains.flatMap((domain) => domain.workloadLogs ?? []);
