import type { Settings } from '../../core/config/settings.js';
import type { DatabaseOptions } from './in-tenant.js';
import type { IngestDatabaseOptions } from './ingest-database.js';

type Process = 'api' | 'worker';

/** Past a pooler, for LISTEN; where there is none the platform's own address. */
export const listenUrl = (settings: Settings): string =>
  settings.DATABASE_DIRECT_URL ?? settings.DATABASE_PLATFORM_URL;

/** Past a pooler, for what needs a session as the role of the tenant pool: locks, and ending a statement of that role. */
export const sessionUrl = (settings: Settings): string =>
  settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;

export const databaseOptions = (settings: Settings, process: Process): DatabaseOptions => ({
  appUrl: settings.DATABASE_URL,
  platformUrl: settings.DATABASE_PLATFORM_URL,
  directUrl: sessionUrl(settings),
  appPool: settings.SERVICE_DB_POOL,
  platformPool: settings.SERVICE_DB_PLATFORM_POOL,
  directPool: settings.SERVICE_DB_DIRECT_POOL,
  applicationName: `visionops-${process}`,
  // The worker signs nobody in.
  ...(process === 'api' && { authUrl: settings.DATABASE_AUTH_URL, authPool: settings.SERVICE_DB_AUTH_POOL }),
});

/** For the process that takes in what devices send. Groups are committed on as many lanes as there are connections. */
export const ingestOptions = (settings: Settings): IngestDatabaseOptions => ({
  url: settings.DATABASE_INGEST_URL,
  pool: settings.SERVICE_DB_INGEST_POOL,
  applicationName: 'visionops-ingest',
});
