import { Database } from '../../models/orm/in-tenant.js';
import { EngineError } from '../engines/engine.js';
import { requirePort, servingUrls, startPostgres } from '../engines/postgres.js';
import { decideProvisioning } from '../supervisor/dependencies.js';
import { ensureSecrets, type Secrets } from '../supervisor/secrets.js';
import { takeLock } from '../supervisor/lock.js';
import { StateFile } from '../supervisor/state.js';
import { hint } from '../terminal/hint.js';

/** Opens the platform's database for a command: the one that runs, or the provisioned one, started for as long as it takes. */
export async function withPlatformDatabase<T>(
  dataDir: string,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (!decideProvisioning(process.env).database)
    return open(addressOf('DATABASE_URL'), addressOf('DATABASE_PLATFORM_URL'), work);
  const state = new StateFile(dataDir);
  if (state.current.databaseLocation === null)
    throw new EngineError(`There is no platform in ${dataDir}: run "${hint('', dataDir)}" first.`);
  const secrets = ensureSecrets(dataDir);
  const lock = takeLock(dataDir);
  if ('heldBy' in lock) return openProvisioned(state.portsOf('postgres').postgres, secrets, work);
  try {
    const server = await startPostgres({
      dataDir,
      ownerPassword: secrets.database.owner,
      ...previousProcessOf(state),
    });
    try {
      return await openProvisioned(server.ports.postgres, secrets, work);
    } finally {
      await server.stop();
    }
  } finally {
    lock.release();
  }
}

/** In production nobody else has looked. */
function addressOf(name: string): string {
  const address = process.env[name];
  if (!address) throw new EngineError(`${name} is missing: name the database as the platform does.`);
  return address;
}

function previousProcessOf(state: StateFile) {
  const child = state.current.children.postgres;
  return child === undefined
    ? {}
    : { previousProcess: { pid: child.pid, startTime: child.startTime }, ports: child.ports };
}

function openProvisioned<T>(
  port: number | undefined,
  secrets: Secrets,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { appUrl, platformUrl } = servingUrls(requirePort(port), secrets.database);
  return open(appUrl, platformUrl, work);
}

async function open<T>(appUrl: string, platformUrl: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await Database.open({
    appUrl,
    platformUrl,
    appPool: 2,
    platformPool: 2,
    applicationName: 'visionops-cli',
  });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
