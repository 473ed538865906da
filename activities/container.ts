import { hostname } from 'node:os';
import path from 'node:path';
import { removeAllWorkloads } from '../adapters/process/remove-workloads.js';
import { workloadsRoot } from '../adapters/process/workload-dirs.js';
import { storeId } from '../adapters/process/store-id.js';
import { prepareNamespace } from '../adapters/temporal/prepare-namespace.js';
import { upsertSchedule } from '../adapters/temporal/schedules.js';
import type { Settings } from '../core/config/settings.js';
import { CONTROL_QUEUE } from '../core/events/task-queues.js';
import type { Logger } from '../core/logging/logger.js';
import type { Database } from '../models/orm/in-tenant.js';
import type { Listener } from '../models/orm/listener.js';
import type { WorkloadPlace } from '../models/system/workload-host.rules.js';
import * as maintenance from '../workflows/system/maintenance.contract.js';
import { wireDatasets } from './datasets/datasets.wiring.js';
import { wireDispatch } from './dispatch/dispatch.wiring.js';
import { layerFolder, wireImages } from './images/images.wiring.js';
import { sweepLayerFolders } from './images/layer-folders.js';
import { wireNotifications } from './notifications/notifications.wiring.js';
import { wireObjects } from './objects/objects.wiring.js';
import { wireServing } from './serving/serving.wiring.js';
import { wireSources } from './sources/sources.wiring.js';
import type { BackgroundLoop } from './support/background.js';
import type { DomainWork, WorkerDeps } from './support/domain-work.js';
import { type ActivityMap, mergeActivities } from './support/merge-activities.js';
import { openPorts } from './support/ports.wiring.js';
import type { createWorkerMetrics } from './support/worker-metrics.js';
import { endEarlierWorkflows, removeEarlierWorkloads } from './system/restored-installation.js';
import { wireSystem } from './system/system.wiring.js';
import { claimWorkloads, createWorkloadHostLoop } from './system/workload-host.js';
import { createWorkloadLoop } from './system/workload-loop.js';
import { wireTenants } from './tenants/tenants.wiring.js';
import { wireTraining } from './training/training.wiring.js';

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

/** What a workload of an earlier life may take to end. */
const REMOVAL_GRACE_S = 5;

/** Every domain of the worker, in the order in which their housekeeping runs. */
function wireDomains(deps: WorkerDeps): DomainWork[] {
  const wirings = [wireImages, wireDatasets, wireTraining, wireTenants, wireNotifications];
  const domains = [...wirings, wireSources, wireServing, wireObjects].map((wire) => wire(deps));
  return [wireSystem(deps, domains), ...domains];
}

/** The worker's composition root. */
export async function openWorker(settings: Settings, logger: Logger): Promise<WorkerParts> {
  await sweepLayerFolders(layerFolder(settings));
  const { deps, checks, close } = await openPorts(settings, logger);
  const { database, listener, objects, engine, workloads } = deps;
  const host = { database, place: workloadPlace(settings), logger };
  const removeWorkloads = () => removeAllWorkloads(path.resolve(settings.SERVICE_DATA_DIR), REMOVAL_GRACE_S);
  const domains = wireDomains(deps);
  return {
    ...{ database, listener, checks, close },
    activities: mergeActivities(domains.map((domain) => domain.activities ?? {})),
    claimWorkloads: async (signal) => {
      await claimWorkloads(host, signal);
      await removeEarlierWorkloads({ database, removeWorkloads, logger });
    },
    background: (metrics, onLost) => [
      ...wireDispatch(deps, metrics),
      createWorkloadLoop({
        ...{ runner: workloads, connectionString: settings.DATABASE_URL, logger },
        place: `${host.place.host}:${host.place.dataDir}`,
      }),
      createWorkloadHostLoop(host, onLost),
      ...domains.flatMap((domain) => domain.loops ?? []),
    ],
    prepareTemporal: async () => {
      await objects.ensureBucket();
      await prepareNamespace(engine.connection, settings.TEMPORAL_NAMESPACE);
      await endEarlierWorkflows(deps);
      await upsertSchedule(engine.client, {
        ...{ scheduleId: maintenance.MAINTENANCE_SCHEDULE, workflowType: maintenance.MAINTENANCE_WORKFLOW },
        ...{ taskQueue: CONTROL_QUEUE, everyS: maintenance.MAINTENANCE_EVERY_S },
      });
    },
  };
}

function workloadPlace(settings: Settings): WorkloadPlace {
  const dataDir = path.resolve(settings.SERVICE_DATA_DIR);
  return { host: hostname(), storeId: storeId(workloadsRoot(dataDir)), dataDir };
}
