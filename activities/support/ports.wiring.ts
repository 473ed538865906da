import { createRemoteSource } from '../../adapters/http/http-remote-source.js';
import { outboundAccess } from '../../adapters/http/outbound-access.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { createPostgresEventBus } from '../../adapters/postgres/postgres-event-bus.js';
import { openKeptMails } from '../../adapters/smtp/open-mailer.js';
import { temporalAccess } from '../../adapters/temporal/temporal-access.js';
import { createWorkflowHistories } from '../../adapters/temporal/temporal-histories.js';
import { createWorkflowEngine } from '../../adapters/temporal/temporal-workflow-engine.js';
import { openWeightsFolder } from '../../adapters/weights/weights-folder.js';
import type { Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import { systemClock } from '../../core/ports/clock.js';
import { readAuditEpoch } from '../../models/audit/audit-sealing.platform.js';
import { databaseOptions, listenUrl } from '../../models/orm/database-options.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import { StateWaits } from '../../models/orm/state-waits.js';
import { SchemaWatch } from '../../models/system/schema-watch.platform.js';
import { engineInEpoch } from './engine-in-epoch.js';

/** Opens everything outside the process that the worker speaks to. */
export async function openPorts(settings: Settings, logger: Logger) {
  const database = await Database.open({
    ...databaseOptions(settings, 'worker'),
    onCallbackError: (error) => logger.error({ err: error }, 'a callback after a commit failed'),
  });
  const schema = new SchemaWatch(database);
  const listener = new Listener({
    connectionString: listenUrl(settings),
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
  const remote = createRemoteSource(outboundAccess(settings));
  const mails = openKeptMails(settings);
  const weights = openWeightsFolder(settings.SERVICE_WEIGHTS_DIR);
  return {
    deps: {
      ...{ settings, logger, clock: systemClock, states: new StateWaits(listener) },
      ...{ database, listener, objects, events, remote, engine, histories, mails, weights },
    },
    schema,
    /** What is reported beside the checks. */
    notes: { notifications: () => listener.check() },
    /** Readiness checks by name. */
    checks: {
      database: () => database.ping(),
      schema: () => schema.check(),
      object_store: () => objects.ping(),
      temporal: () => engine.reach(),
    },
    close: async () => {
      schema.close();
      await listener.stop();
      for (const part of [events, engine, remote, histories, objects, database]) await part.close();
    },
  };
}

/** What is open. */
export type OpenedPorts = Awaited<ReturnType<typeof openPorts>>;
