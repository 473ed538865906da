import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from '../../cli/engines/engine-lock.js';
import { choosePorts } from '../../cli/engines/ports.js';
import {
  clientProblem,
  pythonOf,
  run,
  testedVersions,
} from '../../tests/mlflow-clients/support/client-environment.js';

const READY_WITHIN_MS = 90_000;
const DRIVER = 'psycopg2-binary==2.9.13';

export interface PeerServer {
  readonly pid: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/**
 * `mlflow server` with 4 workers, of the newest client that the lane installs, without the background jobs that it starts
 * beside them.
 * @param database address of a database, or of a schema in one
 */
export async function startPeerServer(database: string, folder: string): Promise<PeerServer> {
  const [version = ''] = testedVersions();
  const problem = await clientProblem();
  if (problem !== null) throw new Error(problem);
  const [port] = (await choosePorts([undefined])) as [number];
  const logFile = join(folder, 'mlflow-server.log');
  const log = openSync(logFile, 'a');
  const store = [
    '--backend-store-uri',
    database,
    '--artifacts-destination',
    join(folder, 'mlflow-artifacts'),
  ];
  const child = spawn(
    pythonOf(version),
    ['-m', 'mlflow', 'server', '--host', '127.0.0.1', '--port', String(port), '--workers', '4', ...store],
    {
      env: {
        ...process.env,
        PYTHONPATH: await driver(),
        MLFLOW_DISABLE_TELEMETRY: 'true',
        MLFLOW_SERVER_ENABLE_JOB_EXECUTION: 'false',
      },
      ...{ cwd: folder, stdio: ['ignore', log, log], detached: true },
    },
  );
  const gone = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(200)) {
    if (
      await fetch(`${baseUrl}/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`mlflow server does not answer: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }
  return {
    ...{ pid: child.pid as number, baseUrl },
    async stop() {
      process.kill(-(child.pid as number), 'SIGKILL');
      await gone;
    },
  };
}

/** The driver for PostgreSQL, which the client does not need: in a folder beside its environment. */
async function driver(): Promise<string> {
  const folder = join(cacheDir(), 'mlflow-server-psycopg2');
  if (existsSync(join(folder, 'psycopg2'))) return folder;
  const order = ['-m', 'pip', 'install', '--no-deps', '--only-binary', ':all:', '--target', folder, DRIVER];
  const { code, output } = await run('python3', order, process.env, undefined, 180);
  if (code !== 0) throw new Error(`${DRIVER} cannot be installed: ${output.slice(-300)}`);
  return folder;
}
