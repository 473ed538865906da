import { openObjectStore } from '../adapters/minio/open-object-store.js';
import { createPostgresEventBus } from '../adapters/postgres/postgres-event-bus.js';
import type { Settings } from '../core/config/settings.js';
import { Readiness } from '../core/health/readiness.js';
import type { Logger } from '../core/logging/logger.js';
import { databaseOptions, listenUrl } from '../models/orm/database-options.js';
import { Database, type DatabaseOptions } from '../models/orm/in-tenant.js';
import { Listener } from '../models/orm/listener.js';
import { HostCapabilities } from '../models/workloads/host.platform.js';
import { StateWaits } from '../models/orm/state-waits.js';
import { SchemaWatch } from '../models/system/schema-watch.platform.js';
import type { ControllerFactory } from './auth/authentication.js';
import { PasswordHasher } from './auth/password-hasher.js';
import { SessionCache } from './auth/session-cache.js';
import type { RouteTable } from './http/routing/route-table.js';

/** What every domain of the API may build on. */
export interface ProcessResources {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly db: Database;
  /** Whether the schema is one that this program can serve. */
  readonly schema: SchemaWatch;
  /** Whether this process wants to be sent requests. */
  readonly readiness: Readiness;
  readonly listener: Listener;
  readonly states: StateWaits;
  readonly cache: SessionCache;
  readonly hasher: PasswordHasher;
  readonly objects: ReturnType<typeof openObjectStore>;
  readonly events: ReturnType<typeof createPostgresEventBus>;
  readonly hosts: HostCapabilities;
}

/** One wall at a time can be taken away, to show that the other one holds. */
export type ProcessOptions = Pick<DatabaseOptions, 'hasTenantFilter'>;

/** What a domain adds to the API; made by its `wire...` function. */
export interface DomainPart {
  readonly controllers: ReadonlyArray<readonly [unknown, ControllerFactory]>;
  /** Routes outside tsoa. */
  readonly rawRouters?: ReadonlyArray<(routes: RouteTable) => void>;
  /** Ends what is held open until something happens, so that the server can stop. */
  endWaiting?(): void;
  close?(): Promise<void>;
}

/** @param options differ from the shipped ones in tests alone */
export async function openProcessResources(
  settings: Settings,
  logger: Logger,
  options: ProcessOptions = {},
): Promise<ProcessResources> {
  const db = await Database.open({
    ...databaseOptions(settings, 'api'),
    hasTenantFilter: options.hasTenantFilter,
    onCallbackError: (error) => logger.error({ err: error }, 'a callback after a commit failed'),
  });
  const schema = new SchemaWatch(db);
  const listener = new Listener({
    connectionString: listenUrl(settings),
    applicationName: 'visionops-api-listen',
  });
  return {
    settings,
    logger,
    db,
    schema,
    readiness: new Readiness({
      checks: { database: () => db.ping(), schema: () => schema.check() },
      notes: { notifications: () => listener.check() },
    }),
    listener,
    states: new StateWaits(listener),
    cache: new SessionCache(() => listener.isUp),
    hasher: new PasswordHasher(),
    objects: openObjectStore(settings),
    events: createPostgresEventBus({
      connectionString: settings.DATABASE_URL,
      applicationName: 'visionops-api-events',
      onLost: (count, error) => logger.warn({ err: error, count }, 'event hints lost'),
    }),
    hosts: new HostCapabilities(db),
  };
}
