import { join } from 'node:path';
import { drainWaitS } from '../../core/config/settings.js';
import type { EngineHandle } from '../engines/engine.js';
import { cacheDir, projectRoot } from '../engines/engine-lock.js';
import { launch } from '../engines/launch.js';
import { choosePorts } from '../engines/ports.js';
import { startEngine, type StartOptions } from '../engines/start-engine.js';
import { dataFiles } from './files.js';
import { probeHost } from './probe-host.js';
import { forgetHandover, handOverSecrets } from './secret-handover.js';

const GRACE_MS = 20_000;
/** Half of them at most look names up, and names of sources take three of these: the others are left to the platform's own. */
const THREADS = '8';

export interface ServiceOptions extends StartOptions {
  readonly name: 'api' | 'worker';
  readonly entry: string;
  /** The settings, but for the ports. */
  readonly shared: Readonly<Record<string, string>>;
  /** The environment with the chosen ports in it. */
  readonly env: (ports: Readonly<Record<string, number>>) => Record<string, string>;
  /** The API's own port; null for the worker, which serves nobody. */
  readonly port: number | null;
}

/** Starts the API or the worker, which are supervised like engines: a process, ports, a probe. */
export async function startService(options: ServiceOptions): Promise<EngineHandle> {
  const folder = dataFiles(options.dataDir).handover(options.name);
  try {
    return await startWithSecrets(options, folder);
  } finally {
    forgetHandover(folder);
  }
}

function startWithSecrets(options: ServiceOptions, handover: string): Promise<EngineHandle> {
  const logFile = join(options.dataDir, 'logs', `${options.name}.out.log`);
  return startEngine<string>(
    {
      name: options.name,
      title: options.name === 'api' ? 'The API' : 'The worker',
      logFile,
      serviceLog: join(options.dataDir, 'logs', `${options.name}.log`),
      signal: 'SIGTERM',
      graceMs: GRACE_MS + drainWaitS(options.shared) * 1000,
      choosePorts: async (wanted) => {
        const [ops] = (await choosePorts([wanted.ops])) as [number];
        return options.port === null ? { ops } : ({ ops, http: options.port } as Record<string, number>);
      },
      launch: (ports) =>
        launch({
          command: process.execPath,
          args: ['--enable-source-maps', join(projectRoot(), 'dist', options.entry)],
          env: {
            NODE_COMPILE_CACHE: join(cacheDir(), 'compile'),
            UV_THREADPOOL_SIZE: THREADS,
            ...handOverSecrets(options.env(ports), handover),
          },
          cwd: projectRoot(),
          logFile,
        }),
      probe: async (ports) => {
        const response = await fetch(
          `http://${probeHost(options.shared.SERVICE_OPS_HOST)}:${ports.ops}/readyz`,
          {
            signal: AbortSignal.timeout(2_000),
          },
        );
        if (!response.ok) throw new Error(`/readyz answers ${response.status} ${await response.text()}`);
      },
    },
    options,
  );
}
