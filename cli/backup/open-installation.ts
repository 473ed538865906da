import { existsSync } from 'node:fs';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { settingsSchema } from '../../core/config/settings.js';
import { storeProblems, storeSettings } from '../../core/config/store-settings.js';
import { type KeyRing, parseKeyRing } from '../../core/security/key-ring.js';
import type { Passwords } from '../../models/orm/migrate.js';
import { EngineError } from '../engines/engine.js';
import { ownerUrl, requirePort, servingUrls } from '../engines/postgres.js';
import { decideProvisioning, type Provisioning } from '../supervisor/dependencies.js';
import { dataFiles, makeDataDir } from '../supervisor/files.js';
import { takeLock } from '../supervisor/lock.js';
import { Platform } from '../supervisor/platform.js';
import { ensureSecrets, replaceSecretKeys, type Secrets } from '../supervisor/secrets.js';
import { type ChildName, StateFile } from '../supervisor/state.js';
import { hint } from '../terminal/hint.js';

/** Database and object store of an installation, for a command that reads or writes all of it. */
export interface Installation {
  /** Whom row-level security does not hold. */
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly platformUrl: string;
  /** Passwords of the serving roles; null where an administrator of the database sets them. */
  readonly passwords: Passwords | null;
  readonly store: ManagedObjectStore;
  /** Null when SERVICE_SECRET_KEYS is not at hand. */
  readonly keys: KeyRing | null;
  /** What is loaded belongs to these keys and its own accounts: a data directory records it. */
  keepKeys(): void;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Opens what runs, or starts what is provisioned here for as long as it takes.
 * @param use `living`: an installation that has data, running or not; `new`: one that does not run
 * @param check of the keys at hand, before anything is made in the data directory
 * @throws EngineError naming what is missing
 */
export async function withInstallation<T>(
  dataDir: string,
  use: 'living' | 'new',
  work: (installation: Installation) => Promise<T>,
  check: (keys: KeyRing | null) => void = () => undefined,
): Promise<T> {
  const env: Env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const provisioning = decideProvisioning(env);
  requireNamed(env, provisioning);
  const given = env.SERVICE_SECRET_KEYS || undefined;
  const run = async (
    secrets: Secrets | null,
    ports: Ports,
    keys: string | undefined,
    keepKeys: () => void,
  ) => {
    const store = openStore(env, secrets, ports);
    try {
      const database =
        provisioning.database && secrets ? provisionedDatabase(secrets, ports) : namedDatabase(env);
      return await work({ ...database, store, keys: keysOf(keys), keepKeys });
    } finally {
      await store.close();
    }
  };
  if (!provisioning.database && !provisioning.s3) return run(null, new Map(), given, () => undefined);
  const state = new StateFile(dataDir);
  if (use === 'living' && provisioning.database && state.current.databaseLocation === null)
    throw new EngineError(`There is no platform in ${dataDir}: name its folder by --data-dir.`);
  // Keys that a new data directory is about to make for itself are none of the backup's.
  const hasKeys = existsSync(dataFiles(dataDir).secrets);
  const keys = given ?? (hasKeys ? ensureSecrets(dataDir).secretKeys : undefined);
  check(keysOf(keys));
  makeDataDir(dataDir);
  const lock = takeLock(dataDir);
  const secrets = ensureSecrets(dataDir);
  if ('heldBy' in lock) {
    if (use === 'new')
      throw new EngineError(
        `The platform runs on ${dataDir}: stop it with "${hint('stop', dataDir)}" first.`,
      );
    return run(secrets, portsOf(state), keys, () => undefined);
  }
  const keepKeys = () => {
    if (given !== undefined) replaceSecretKeys(dataDir, given);
    // Its accounts are in the backup: none is made for a first start.
    state.update({ administratorMade: true });
  };
  try {
    return await withEngines(dataDir, provisioning, secrets, state, (ports) =>
      run(secrets, ports, keys, keepKeys),
    );
  } finally {
    lock.release();
  }
}

type Ports = ReadonlyMap<ChildName, Readonly<Record<string, number>>>;

const ENGINES = ['postgres', 's3'] as const;

const portsOf = (state: StateFile): Ports => new Map(ENGINES.map((name) => [name, state.portsOf(name)]));

/** Starts PostgreSQL and the object store of a data directory; Temporal has no part in it. */
async function withEngines<T>(
  dataDir: string,
  provisioning: Provisioning,
  secrets: Secrets,
  state: StateFile,
  work: (ports: Ports) => Promise<T>,
): Promise<T> {
  const platform = new Platform({
    ...{ dataDir, given: process.env, provisioning, secrets, state },
    ...{ apiPort: 0, init: {}, adminEmail: '', binaries: {} },
  });
  const names = ENGINES.filter((name) => (name === 's3' ? provisioning.s3 : provisioning.database));
  try {
    for (const name of names) await platform.start(name, state.current.children[name]);
    return await work(new Map(names.map((name) => [name, platform.handle(name)?.ports ?? {}])));
  } finally {
    for (const name of names) await platform.handle(name)?.stop();
  }
}

function openStore(env: Env, secrets: Secrets | null, ports: Ports): ManagedObjectStore {
  const made = secrets && ports.get('s3')?.s3 !== undefined && !env.S3_ENDPOINT;
  const named = made
    ? {
        S3_ENDPOINT: `http://127.0.0.1:${ports.get('s3')?.s3}`,
        S3_ACCESS_KEY: secrets.s3.accessKey,
        S3_SECRET_KEY: secrets.s3.secretKey,
      }
    : {};
  return openObjectStore(STORE.parse({ ...env, ...named }));
}

function provisionedDatabase(secrets: Secrets, ports: Ports) {
  const port = requirePort(ports.get('postgres')?.postgres);
  const { app, platform, auth, ingest } = secrets.database;
  return {
    ownerUrl: ownerUrl(port, secrets.database.owner),
    ...servingUrls(port, secrets.database),
    passwords: { app, platform, auth, ingest },
  };
}

const namedDatabase = (env: Env) => ({
  ownerUrl: env.DATABASE_OWNER_URL as string,
  ...{ appUrl: env.DATABASE_URL as string, platformUrl: env.DATABASE_PLATFORM_URL as string },
  passwords: null,
});

const NAMED = {
  database: ['DATABASE_OWNER_URL', 'DATABASE_URL', 'DATABASE_PLATFORM_URL'],
  s3: ['S3_ENDPOINT'],
} as const;
const STORE = settingsSchema
  .pick({ S3_ENDPOINT: true, S3_REGION: true, S3_BUCKET: true })
  .extend(storeSettings);

/** In production nobody else has looked: the owner's address is given to no serving process. */
function requireNamed(env: Env, provisioning: Provisioning): void {
  const missing = (['database', 's3'] as const)
    .filter((name) => !provisioning[name])
    .flatMap((name) => NAMED[name].filter((variable) => !env[variable]));
  if (missing.length > 0)
    throw new EngineError(
      `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing: name database and object store as the platform does, and the database's owner too.`,
    );
  const problems = provisioning.s3 ? [] : storeProblems(env);
  if (problems.length > 0) throw new EngineError(problems.join('; '));
}

function keysOf(text: string | undefined): KeyRing | null {
  if (text === undefined) return null;
  try {
    return parseKeyRing(text);
  } catch (error) {
    throw new EngineError(`SERVICE_SECRET_KEYS cannot be used: ${(error as Error).message}.`);
  }
}
