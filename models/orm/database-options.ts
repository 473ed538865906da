import type { Settings } from '../../core/config/settings.js';
import type { DatabaseOptions } from './in-tenant.js';

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

interface ConnectionUse {
  /** By the address that leads there; `direct` stands for DATABASE_DIRECT_URL, or what is used without it. */
  readonly by: 'app' | 'platform' | 'auth' | 'direct';
  readonly use: string;
  readonly most: number;
}

const WORKER_LOCKS: readonly ConnectionUse[] = [
  { by: 'direct', use: 'lock on the workloads of its host', most: 1 },
  { by: 'direct', use: 'lock of the watch over endpoints', most: 1 },
];

/** Every connection that a process may hold at the same time; docs/reference/operations.md adds them up. */
export function connectionUses(settings: Settings, process: Process): ConnectionUse[] {
  const { appPool, platformPool, directPool = 0, authPool = 0 } = databaseOptions(settings, process);
  return [
    { by: 'app', use: 'pool of the tenants', most: appPool },
    { by: 'app', use: 'sending events', most: 1 },
    { by: 'platform', use: 'pool of the platform', most: platformPool },
    ...(authPool > 0 ? [{ by: 'auth' as const, use: 'pool of those who sign in', most: authPool }] : []),
    { by: 'direct', use: 'listening', most: 1 },
    { by: 'direct', use: 'testing that it listens, for a moment', most: 1 },
    { by: 'direct', use: 'ending statements, for a moment', most: directPool },
    ...(process === 'worker' ? WORKER_LOCKS : []),
  ];
}
