import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startObjectStore } from '../../cli/engines/object-store.js';
import { DATABASE_NAME, ownerUrl, startPostgres } from '../../cli/engines/postgres.js';
import { isRunning, type ProcessRef, refOf } from '../../cli/engines/process-ref.js';
import { NAMESPACE, startTemporal } from '../../cli/engines/temporal.js';
import { ensureTestServer } from '../../cli/engines/test-server.js';
import { migrate } from '../../models/orm/migrate.js';
import { EVENTS_OF_A_RUN } from './events-of-a-run.js';
import { type EngineFacts, FACTS_VARIABLE } from './facts.js';
import { startPooler } from './pooler.js';
import { endRun, temporaryFolder } from './run-folder.js';

const PREFIX = 'visionops-test-';
const PASSWORDS = {
  app: 'app-of-the-tests',
  platform: 'platform-of-the-tests',
  auth: 'auth-of-the-tests',
  ingest: 'ingest-of-the-tests',
};
const OWNER_PASSWORD = 'owner-of-the-tests';
const S3_KEYS = { accessKey: 'access-of-the-tests', secretKey: 'secret-of-the-tests' };

/** Starts the real engines once for the lane. What it started is stopped again when it fails half-way. */
export async function startLane({ isPooled }: { readonly isPooled: boolean }): Promise<void> {
  process.env.TEMPORAL_CORE_LOG ??= 'error';
  removeLeftovers();
  const dataDir = mkdtempSync(join(tmpdir(), PREFIX));
  chmodSync(dataDir, 0o755);
  process.env.TMPDIR = temporaryFolder(dataDir);
  mkdirSync(process.env.TMPDIR);
  // As the system's own: workloads run as users of their own.
  chmodSync(process.env.TMPDIR, 0o1777);
  const started: ProcessRef[] = [];
  const stopAll = () => endRun(dataDir, started);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      stopAll();
      process.exit(1);
    });
  try {
    const facts = await startEngines(dataDir, started, isPooled);
    const file = join(dataDir, 'engines.json');
    writeFileSync(file, JSON.stringify(facts));
    process.env[FACTS_VARIABLE] = file;
  } catch (error) {
    stopAll();
    throw error;
  }
}

export default (): Promise<void> => startLane({ isPooled: false });

async function startEngines(dataDir: string, started: ProcessRef[], isPooled: boolean): Promise<EngineFacts> {
  const note = <T extends ProcessRef>(handle: T): T => {
    started.push({ pid: handle.pid, startTime: handle.startTime });
    return handle;
  };
  const onFetch = (text: string) => process.stderr.write(`${text}\n`);
  // All are awaited even when one fails, so that none comes up after the others were stopped.
  const [postgres, temporal, store, timeSkipping] = await Promise.allSettled([
    startPostgres({ dataDir, ownerPassword: OWNER_PASSWORD, fast: true }).then(note).then(prepareTemplate),
    startTemporal({ dataDir, inMemory: true, eventsOfARun: EVENTS_OF_A_RUN, onFetch }).then(note),
    startObjectStore({
      dataDir,
      ...S3_KEYS,
      internalKey: 'inner-key-of-the-tests',
      bucket: 'visionops',
      onFetch,
    }).then(note),
    ensureTestServer(),
  ]);
  const postgresPort = valueOf(postgres).ports.postgres;
  const pooler = isPooled ? note(await startPooler({ dataDir, postgresPort, passwords: PASSWORDS })) : null;
  return {
    owner: refOf(process.pid),
    engines: started,
    postgres: {
      port: postgresPort,
      ownerPassword: OWNER_PASSWORD,
      template: DATABASE_NAME,
    },
    passwords: PASSWORDS,
    storePorts: valueOf(store).ports,
    pooler: pooler && { port: pooler.ports.pooler, pid: pooler.pid },
    s3: { endpoint: `http://127.0.0.1:${valueOf(store).ports.s3}`, ...S3_KEYS },
    temporal: { address: `127.0.0.1:${valueOf(temporal).ports.temporal}`, namespace: NAMESPACE },
    timeSkipping: valueOf(timeSkipping),
  };
}

function valueOf<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function prepareTemplate<T extends { ports: { postgres: number } }>(handle: T): Promise<T> {
  await migrate({ ownerUrl: ownerUrl(handle.ports.postgres, OWNER_PASSWORD), passwords: PASSWORDS });
  return handle;
}

/** Folders as `mkdtemp` names them, that nobody has touched for a day: those of tests that were killed. */
const FORGOTTEN = /^visionops-[a-z-]+-[A-Za-z0-9]{6}$/;
const DAY_MS = 86_400_000;

/** A run that was killed could not stop its engines, nor remove what it wrote. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => FORGOTTEN.test(entry))) {
    try {
      if (!name.startsWith(PREFIX)) {
        const path = join(tmpdir(), name);
        if (statSync(path).mtimeMs < Date.now() - DAY_MS) rmSync(path, { recursive: true, force: true });
        continue;
      }
      const facts = JSON.parse(readFileSync(join(tmpdir(), name, 'engines.json'), 'utf8')) as EngineFacts;
      if (isRunning(facts.owner)) continue;
      endRun(join(tmpdir(), name), facts.engines);
    } catch {
      // Another run is just starting: its file is not written yet.
    }
  }
}
