import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseSettings, type Settings } from '../../../core/config/settings.js';
import {
  databaseOptions,
  ingestOptions,
  listenUrl,
  sessionUrl,
} from '../../../models/orm/database-options.js';

interface ConnectionUse {
  /** By the address that leads there; `direct` stands for DATABASE_DIRECT_URL, or what is used without it. */
  readonly by: 'app' | 'platform' | 'auth' | 'ingest' | 'direct';
  readonly use: string;
  readonly most: number;
}

const WORKER_LOCKS: readonly ConnectionUse[] = [
  { by: 'direct', use: 'lock on the workloads of its host', most: 1 },
  { by: 'direct', use: 'lock of the watch over endpoints', most: 1 },
];

/** Every connection that a process may hold at the same time; docs/reference/operations.md adds them up. */
function connectionUses(settings: Settings, process: 'api' | 'worker'): ConnectionUse[] {
  const { appPool, platformPool, directPool = 0, authPool = 0 } = databaseOptions(settings, process);
  return [
    { by: 'app', use: 'pool of the tenants', most: appPool },
    { by: 'app', use: 'sending events', most: 1 },
    { by: 'platform', use: 'pool of the platform', most: platformPool },
    ...(authPool > 0 ? [{ by: 'auth' as const, use: 'pool of those who sign in', most: authPool }] : []),
    ...(process === 'api'
      ? [{ by: 'ingest' as const, use: 'pool of devices', most: ingestOptions(settings).pool }]
      : []),
    { by: 'direct', use: 'listening', most: 1 },
    { by: 'direct', use: 'testing that it listens, for a moment', most: 1 },
    { by: 'direct', use: 'ending statements, for a moment', most: directPool },
    ...(process === 'worker' ? WORKER_LOCKS : []),
  ];
}

const settingsOf = (given: Record<string, string> = {}) =>
  parseSettings({
    DATABASE_URL: 'postgresql://a@pooler/d',
    DATABASE_PLATFORM_URL: 'postgresql://p@pooler/d',
    DATABASE_AUTH_URL: 'postgresql://s@pooler/d',
    DATABASE_INGEST_URL: 'postgresql://i@pooler/d',
    TEMPORAL_ADDRESS: 'h:7233',
    S3_ENDPOINT: 'http://h:9000',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 'very-secret-value',
    SERVICE_BASE_URL: 'https://visionops.example.com',
    SERVICE_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ...given,
  });
const sum = (process: 'api' | 'worker', given?: Record<string, string>) =>
  connectionUses(settingsOf(given), process).reduce((all, { most }) => all + most, 0);

describe('the connections of a process', () => {
  it('lead past a pooler where they need a session, and nowhere else', () => {
    const direct = 'postgresql://a@primary/d';
    const settings = settingsOf({ DATABASE_DIRECT_URL: direct });
    expect([listenUrl(settings), sessionUrl(settings)]).toEqual([direct, direct]);
    expect(databaseOptions(settings, 'api')).toMatchObject({
      appUrl: settings.DATABASE_URL,
      platformUrl: settings.DATABASE_PLATFORM_URL,
      directUrl: direct,
    });
    expect(ingestOptions(settings).url).toBe(settings.DATABASE_INGEST_URL);
  });

  it('use the addresses of the pools where there is no pooler', () => {
    const settings = settingsOf();
    expect(listenUrl(settings)).toBe(settings.DATABASE_PLATFORM_URL);
    expect(sessionUrl(settings)).toBe(settings.DATABASE_URL);
  });

  it('are as many as the docs add up, and follow the settings', () => {
    expect([sum('api'), sum('worker')]).toEqual([27, 21]);
    const larger = { SERVICE_DB_POOL: '20', SERVICE_DB_PLATFORM_POOL: '6', SERVICE_DB_DIRECT_POOL: '3' };
    expect([sum('api', larger), sum('worker', larger)]).toEqual([40, 34]);
    expect(sum('api', { SERVICE_DB_INGEST_POOL: '8' })).toBe(33);
  });
});
