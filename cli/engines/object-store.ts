import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'minio';
import type { EngineHandle } from './engine.js';
import { ensureEngine, type FetchOptions } from './fetch-engine.js';
import { baseEnvironment, launch } from './launch.js';
import { choosePortPair, choosePorts } from './ports.js';
import { type StartOptions, startEngine } from './start-engine.js';

/** Go collects garbage sooner beyond this: without a bound a gigabyte of uploads leaves twice as much behind. */
const MEMORY = '300MiB';

/** SeaweedFS reaches its own administration by the HTTP port plus this, whatever the flags say. */
const GRPC_OFFSET = 10_000;
const PORT_NAMES = [
  's3',
  's3Grpc',
  'master',
  'masterGrpc',
  'volume',
  'volumeGrpc',
  'filer',
  'filerGrpc',
] as const;
type StorePort = (typeof PORT_NAMES)[number] | 'admin';

export interface ObjectStoreOptions extends StartOptions, FetchOptions {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Signs what the parts of the store ask of each other, so that its inner doors are closed to everyone else. */
  readonly internalKey: string;
  readonly bucket: string;
}

/** Starts SeaweedFS as an S3 store with one bucket. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<EngineHandle<StorePort>> {
  const binary = options.binary ?? (await ensureEngine('weed', options));
  const folder = join(options.dataDir, 's3');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logFile = join(options.dataDir, 'logs', 's3.log');
  return startEngine<StorePort>(
    {
      name: 's3',
      title: 'The object store',
      logFile,
      signal: 'SIGTERM',
      graceMs: 10_000,
      choosePorts: chooseStorePorts,
      launch: (ports) => {
        // The store writes its last flags here and would prefer them to the ones given now.
        rmSync(join(folder, 'mini.options'), { force: true });
        return launch({
          command: binary.path,
          args: storeArgs(folder, ports),
          env: storeEnvironment(options),
          cwd: folder,
          logFile,
        });
      },
      probe: (ports) => ensureBucket(ports.s3, options),
      cleanUp: removeStoreSockets,
    },
    options,
  );
}

/** Beside its ports SeaweedFS listens on files of this folder, whatever flags and environment say, and leaves them behind. */
const SOCKETS = '/tmp';

/** @param ports of a store that has ended, as far as they are known */
export function removeStoreSockets({ admin, ...ports }: Readonly<Partial<Record<string, number>>>): void {
  const listens = { ...ports, ...(admin === undefined ? {} : { adminGrpc: admin + GRPC_OFFSET }) };
  for (const [name, port] of Object.entries(listens))
    if (name.endsWith('Grpc'))
      rmSync(`${SOCKETS}/seaweedfs-${name.slice(0, -'Grpc'.length)}-grpc-${port}.sock`, { force: true });
}

async function chooseStorePorts(
  wanted: Readonly<Record<string, number>>,
): Promise<Record<StorePort, number>> {
  const admin = await choosePortPair(wanted.admin, GRPC_OFFSET);
  const chosen = await choosePorts(PORT_NAMES.map((name) => wanted[name]));
  return {
    admin,
    ...(Object.fromEntries(PORT_NAMES.map((name, index) => [name, chosen[index]])) as Record<
      (typeof PORT_NAMES)[number],
      number
    >),
  };
}

function storeArgs(folder: string, ports: Readonly<Record<StorePort, number>>): string[] {
  const flags: Record<string, string | number | boolean> = {
    dir: folder,
    ip: '127.0.0.1',
    'ip.bind': '127.0.0.1',
    's3.port': ports.s3,
    's3.port.grpc': ports.s3Grpc,
    's3.port.iceberg': 0,
    's3.port.lance': 0,
    's3.localSocket': join(folder, 's3.sock'),
    'master.port': ports.master,
    'master.port.grpc': ports.masterGrpc,
    'master.telemetry': false,
    'master.volumeSizeLimitMB': 1024,
    'volume.port': ports.volume,
    'volume.port.grpc': ports.volumeGrpc,
    'volume.preStopSeconds': 0,
    'filer.port': ports.filer,
    'filer.port.grpc': ports.filerGrpc,
    'filer.localSocket': join(folder, 'filer.sock'),
    'admin.port': ports.admin,
    'admin.ui': false,
    webdav: false,
  };
  // Without this flag the log is written a second time, into the folder of temporary files.
  return ['-logtostderr=true', 'mini', ...Object.entries(flags).map(([name, value]) => `-${name}=${value}`)];
}

function storeEnvironment(options: ObjectStoreOptions): Record<string, string> {
  const inner = [
    'WEED_JWT_SIGNING_KEY',
    'WEED_JWT_SIGNING_READ_KEY',
    'WEED_JWT_FILER_SIGNING_KEY',
    'WEED_JWT_FILER_SIGNING_READ_KEY',
  ];
  return {
    ...baseEnvironment(),
    GOMEMLIMIT: MEMORY,
    AWS_ACCESS_KEY_ID: options.accessKey,
    AWS_SECRET_ACCESS_KEY: options.secretKey,
    ...Object.fromEntries(inner.map((name) => [name, options.internalKey])),
  };
}

/**
 * A new store is ready when its bucket takes an object: the S3 port answers before a volume can be assigned. One that
 * comes back is ready when its bucket answers: its volumes may sign on up to 5 s later, and what is written or read
 * meanwhile waits for them inside the store.
 */
async function ensureBucket(port: number, options: ObjectStoreOptions): Promise<void> {
  const client = new Client({
    endPoint: '127.0.0.1',
    port,
    useSSL: false,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region: 'us-east-1',
  });
  if (await client.bucketExists(options.bucket)) return;
  await client.makeBucket(options.bucket, 'us-east-1');
  await client.putObject(options.bucket, '.ready', 'ready');
}
