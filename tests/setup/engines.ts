import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { Client } from 'minio';
import pg from 'pg';
import { createObjectStore, type ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { ownerUrl } from '../../cli/engines/postgres.js';
import { readFacts } from './facts.js';

export interface TestDatabase {
  readonly name: string;
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly platformUrl: string;
  readonly authUrl: string;
  readonly ingestUrl: string;
  /** As the app role past the pooler; null in lanes without one. */
  readonly directUrl: string | null;
  /** Closes every connection to it and removes it. */
  readonly drop: () => Promise<void>;
}

export interface TestStore {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Removes the bucket with all that is in it: the store gives each bucket volumes of its own, and has few. */
  readonly remove: () => Promise<void>;
  /** The same of another bucket that a test made. */
  readonly removeOther: (bucket: string) => Promise<void>;
}

export interface TestNamespace {
  readonly address: string;
  readonly namespace: string;
}

/**
 * A migrated, empty database of one's own: a clone of the template, file by file, 70 ms. Call it once a test file.
 * @param options SQL of what it has unlike its template
 */
export async function testDatabase(
  template = readFacts().postgres.template,
  options = '',
): Promise<TestDatabase> {
  const { postgres, pooler, passwords } = readFacts();
  const name = `t_${randomBytes(6).toString('hex')}`;
  await asOwner(`create database ${name} template ${template} strategy file_copy ${options}`);
  const login = (role: 'app' | 'platform' | 'auth' | 'ingest', { port } = pooler ?? postgres) =>
    `postgresql://visionops_${role}:${passwords[role]}@127.0.0.1:${port}/${name}`;
  return {
    name,
    ownerUrl: ownerUrl(postgres.port, postgres.ownerPassword, name),
    appUrl: login('app'),
    platformUrl: login('platform'),
    authUrl: login('auth'),
    ingestUrl: login('ingest'),
    directUrl: pooler && login('app', postgres),
    drop: () => asOwner(`drop database if exists ${name} with (force)`),
  };
}

/** A login with the rights of the app role that row-level security does not hold back; drop it after its database. */
export async function bypassingRole(
  database: TestDatabase,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `bypass_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await asOwner(`create role ${name} login bypassrls password '${password}' in role visionops_app`);
  const url = new URL(database.appUrl);
  url.username = name;
  url.password = password;
  return { url: url.href, drop: () => asOwner(`drop role if exists ${name}`) };
}

async function asOwner(sql: string): Promise<void> {
  const { postgres } = readFacts();
  const client = new pg.Client({
    connectionString: ownerUrl(postgres.port, postgres.ownerPassword, 'postgres'),
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** A bucket of one's own. */
export async function testStore(): Promise<TestStore> {
  const { s3 } = readFacts();
  const bucket = `t-${randomBytes(6).toString('hex')}`;
  const { hostname, port } = new URL(s3.endpoint);
  const client = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: s3.accessKey,
    secretKey: s3.secretKey,
    region: 'us-east-1',
  });
  await client.makeBucket(bucket, 'us-east-1');
  const removeOther = (name: string) => client.removeBucket(name);
  return { ...s3, region: 'us-east-1', bucket, remove: () => removeOther(bucket), removeOther };
}

/** The object store over a bucket of one's own, which is removed when the store is closed. */
export async function testObjectStore(): Promise<ManagedObjectStore> {
  const made = await testStore();
  const store = createObjectStore(made);
  const close = store.close.bind(store);
  return Object.assign(store, { close: () => close().then(made.remove) });
}

/** That of this process, for whichever file needs one next. */
const NEXT = Symbol.for('visionops.next-namespace');
const held = globalThis as { [NEXT]?: Promise<TestNamespace | null> };

/**
 * A Temporal namespace of one's own, so that workers of files that run side by side never take each other's tasks. It takes a
 * second or two until one can be used: the next is prepared while this one is.
 */
export async function testNamespace(): Promise<TestNamespace> {
  const { address } = readFacts().temporal;
  const prepared = held[NEXT];
  held[NEXT] = prepareNamespace(address).catch(() => null);
  const next = await prepared;
  return next?.address === address ? next : prepareNamespace(address);
}

async function prepareNamespace(address: string): Promise<TestNamespace> {
  const namespace = `t-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  const until = Date.now() + USABLE_WITHIN_MS;
  try {
    // A lane whose last file failed at once ends its engines meanwhile: calls without a deadline would go on for half an hour.
    await connection.withDeadline(until, async () => {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
      await retry(until, () =>
        connection.operatorService.addSearchAttributes({
          namespace,
          searchAttributes: { TenantId: KEYWORD },
        }),
      );
      await retry(until, () =>
        connection.workflowService.listWorkflowExecutions({ namespace, query: 'TenantId = "none"' }),
      );
    });
  } finally {
    await connection.close();
  }
  return { address, namespace };
}

/** Far longer than it takes on a machine that others keep busy. */
const USABLE_WITHIN_MS = 20_000;
/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2;

/** A new namespace reaches the server's caches within a second or two. */
async function retry<T>(until: number, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** The wrapper of the time-skipping test server; null with the reason where there is no Java. */
export const timeSkippingServer = () => readFacts().timeSkipping;

/** Users without privileges, as workloads are, must be able to pass it. */
function passableFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-data-'));
  chmodSync(folder, 0o711);
  return folder;
}

/**
 * Everything that a process of the platform is set up by, each part fresh. Ports are 0: the system chooses.
 * @param template of the database; without it one that is migrated
 */
export async function testEnvironment(template?: string): Promise<{
  env: Record<string, string>;
  database: TestDatabase;
  store: TestStore;
  /** Removes database, bucket and data folder, once nobody uses them. */
  remove: () => Promise<void>;
}> {
  const [database, store, temporal] = await Promise.all([
    testDatabase(template),
    testStore(),
    testNamespace(),
  ]);
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: database.appUrl,
    DATABASE_PLATFORM_URL: database.platformUrl,
    DATABASE_AUTH_URL: database.authUrl,
    DATABASE_INGEST_URL: database.ingestUrl,
    ...(database.directUrl === null ? {} : { DATABASE_DIRECT_URL: database.directUrl }),
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    S3_ENDPOINT: store.endpoint,
    S3_REGION: store.region,
    S3_BUCKET: store.bucket,
    S3_ACCESS_KEY: store.accessKey,
    S3_SECRET_KEY: store.secretKey,
    SERVICE_BASE_URL: 'http://127.0.0.1:8080',
    SERVICE_PORT: '0',
    SERVICE_OPS_PORT: '0',
    SERVICE_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    SERVICE_WEBHOOK_TOKEN: randomUUID(),
    SERVICE_DATA_DIR: passableFolder(),
    SERVICE_LOG_LEVEL: 'warn',
    SERVICE_VALIDATION_QUIET_MS: '200',
    // Jobs of tests may have no API that they reach.
    SERVICE_TRAINING_PATIENCE_S: '60',
  };
  const remove = async () => {
    await Promise.all([database.drop(), store.remove()]);
    rmSync(env.SERVICE_DATA_DIR, { recursive: true, force: true });
  };
  return { env, database, store, remove };
}
