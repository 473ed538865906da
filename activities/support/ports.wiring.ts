import { createRemoteSource } from '../../adapters/http/http-remote-source.js';
import { outboundAccess } from '../../adapters/http/outbound-access.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { createPostgresEventBus } from '../../adapters/postgres/postgres-event-bus.js';
import { openProcessRunner } from '../../adapters/process/open-process-runner.js';
import { openKeptMails } from '../../adapters/smtp/open-mailer.js';
import { temporalAccess } from '../../adapters/temporal/temporal-access.js';
import { createWorkflowHistories } from '../../adapters/temporal/temporal-histories.js';
import { createWorkflowEngine } from '../../adapters/temporal/temporal-workflow-engine.js';
import type { Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import { readAuditEpoch } from '../../models/audit/audit-epoch.platform.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import { StateCalls } from '../../models/orm/state-calls.js';
import { engineInEpoch } from './engine-in-epoch.js';

const PLATFORM_POOL = 4;
const CHECK_MS = 2000;

/** Opens everything outside the process that the worker speaks to. */
export async function openPorts(settings: Settings, logger: Logger) {
  const database = await openDatabase(settings);
  const listener = new Listener({
    connectionString: settings.DATABASE_PLATFORM_URL,
    applicationName: 'visionops-worker-listen',
  });
  const objects = openObjectStore(settings);
  const events = createPostgresEventBus({
    connectionString: settings.DATABASE_URL,
    applicationName: 'visionops-worker-events',
    onLost: (count, error) => logger.warn({ err: error, count }, 'event hints lost'),
  });
  const temporal = { ...temporalAccess(settings), namespace: settings.TEMPORAL_NAMESPACE };
  const temporalEngine = createWorkflowEngine(temporal);
  const engine = {
    ...temporalEngine,
    ...engineInEpoch(temporalEngine, () => readAuditEpoch(database)),
  };
  const histories = createWorkflowHistories(temporal);
  const workloads = openProcessRunner(settings, logger);
  const remote = createRemoteSource(outboundAccess(settings));
  const mails = openKeptMails(settings);
  return {
    deps: {
      ...{ settings, logger, clock: systemClock, states: new StateCalls(listener) },
      ...{ database, listener, objects, events, remote, workloads, engine, histories, mails },
    },
    /** Readiness checks by name. */
    checks: {
      database: () => database.ping(),
      object_store: () => objects.ping(),
      temporal: async () =>
        void (await engine.connection.withDeadline(Date.now() + CHECK_MS, () =>
          engine.connection.workflowService.getSystemInfo({}),
        )),
    },
    close: async () => {
      await listener.stop();
      for (const part of [events, engine, remote, histories, objects, database]) await part.close();
    },
  };
}

const openDatabase = (settings: Settings): Promise<Database> =>
  Database.open({
    appUrl: settings.DATABASE_URL,
    platformUrl: settings.DATABASE_PLATFORM_URL,
    appPool: settings.SERVICE_DB_POOL,
    platformPool: PLATFORM_POOL,
    applicationName: 'visionops-worker',
  });
