import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suspendWorkloads } from '../../adapters/process/suspend-workloads.js';
import { parseSettings, SettingsError, unsupportedSettings } from '../../core/config/settings.js';
import { EngineError } from '../engines/engine.js';
import type { BinaryName } from '../engines/engine-lock.js';
import { type EngineBinary, ensureEngine } from '../engines/fetch-engine.js';
import { SUPERVISED_VARIABLE } from '../engines/launch.js';
import { choosePorts } from '../engines/ports.js';
import { isRunning, killGroup, refOf } from '../engines/process-ref.js';
import type { Arguments } from '../arguments.js';
import { planAdministrator } from '../supervisor/administrator.js';
import { decideProvisioning, type Provisioning } from '../supervisor/dependencies.js';
import { DEFAULT_PORT } from '../supervisor/environment.js';
import { makeDataDir } from '../supervisor/files.js';
import { Guardian } from '../supervisor/guardian.js';
import { takeLock } from '../supervisor/lock.js';
import { Platform } from '../supervisor/platform.js';
import { nearestFolder, requireMachine } from '../supervisor/prerequisites.js';
import { ensureSecrets } from '../supervisor/secrets.js';
import { StateFile } from '../supervisor/state.js';
import { wipeAll } from '../supervisor/wipe.js';
import { listenForStop } from '../supervisor/stop-signal.js';
import { type Start, supervise } from '../supervisor/supervise.js';
import { hint } from '../terminal/hint.js';
import { Progress } from '../terminal/progress.js';

/** Provisions, migrates and serves in the foreground until it is asked to stop. @returns the exit code */
export async function start(args: Arguments): Promise<number> {
  const production = process.env.NODE_ENV === 'production';
  if (production) parseSettings(process.env);
  const unsupported = unsupportedSettings(process.env);
  if (unsupported.length > 0) throw new SettingsError(unsupported);
  const provisioning = decideProvisioning(process.env);
  const progress = new Progress(process.stdout);
  // What the machine lacks is found before anything is made.
  if (!production) await requireMachine(nearestFolder(args.ephemeral ? tmpdir() : args.dataDir));
  const binaries = await findBinaries(provisioning, progress);
  const dataDir = args.ephemeral ? ephemeralDir() : args.dataDir;
  makeDataDir(dataDir);
  const lock = takeLock(dataDir);
  if ('heldBy' in lock)
    throw new EngineError(
      `The platform runs on ${dataDir} already (process ${lock.heldBy.pid}): use it, stop it with "${hint('stop', dataDir)}", or choose another --data-dir.`,
    );
  try {
    process.env[SUPERVISED_VARIABLE] = dataDir;
    return await supervise(await prepare({ args, dataDir, production, provisioning, progress, binaries }));
  } finally {
    lock.release();
    if (args.ephemeral) wipeAll(dataDir);
  }
}

function ephemeralDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-ephemeral-'));
  chmodSync(folder, 0o711);
  return folder;
}

interface Prepared {
  readonly args: Arguments;
  readonly dataDir: string;
  readonly production: boolean;
  readonly provisioning: Provisioning;
  readonly progress: Progress;
  readonly binaries: Readonly<Partial<Record<BinaryName, EngineBinary>>>;
}

async function findBinaries(provisioning: Provisioning, progress: Progress): Promise<Prepared['binaries']> {
  const wanted = [
    ...(provisioning.temporal ? ['temporal' as const] : []),
    ...(provisioning.s3 ? ['weed' as const] : []),
  ];
  const onFetch = (text: string) => progress.say(`  ..  ${text}`);
  // Both are awaited even when one fails, so that each removes what it had begun.
  const found = await Promise.allSettled(
    wanted.map(async (name) => [name, await ensureEngine(name, { onFetch })] as const),
  );
  return Object.fromEntries(
    found.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    }),
  );
}

async function prepare({
  args,
  dataDir,
  production,
  provisioning,
  progress,
  binaries,
}: Prepared): Promise<Start> {
  const state = new StateFile(dataDir);
  const stop = listenForStop(() => {
    for (const child of Object.values(state.current.children)) killGroup(child);
    void suspendWorkloads(dataDir, 0).finally(() => {
      if (args.ephemeral) wipeAll(dataDir);
      process.exit(130);
    });
  });
  state.update({ supervisor: refOf(process.pid), stopping: false });
  stop.signal.addEventListener('abort', () => state.update({ stopping: true }));
  const administrator = planAdministrator(process.env, state.current.administratorMade);
  const secrets = production ? null : ensureSecrets(dataDir);
  const apiPort = await chooseApiPort(args, state, progress);
  const localUrl = `http://127.0.0.1:${apiPort}`;
  const platform = new Platform({
    dataDir,
    given: process.env,
    provisioning,
    secrets,
    apiPort,
    init: administrator.init,
    adminEmail: administrator.email,
    state,
    binaries,
  });
  const guardian = new Guardian((text) => progress.say(`${new Date().toISOString()} ${text}`));
  return {
    args,
    dataDir,
    production,
    state,
    progress,
    platform,
    administrator,
    stop,
    guardian,
    baseUrl: process.env.SERVICE_BASE_URL || localUrl,
    localUrl,
  };
}

/** The port asked for, or the one of the last time, or another one, and then it says so. */
async function chooseApiPort(args: Arguments, state: StateFile, progress: Progress): Promise<number> {
  const leftover = state.current.children.api;
  const wanted = args.port ?? (Number(process.env.SERVICE_PORT) || leftover?.ports.http || DEFAULT_PORT);
  // An API that an earlier supervisor left will be stopped before the port is needed.
  if (leftover !== undefined && leftover.ports.http === wanted && isRunning(leftover)) return wanted;
  const [port] = (await choosePorts([wanted])) as [number];
  // Whatever stands in front of a production API knows its port.
  if (port !== wanted && process.env.NODE_ENV === 'production')
    throw new EngineError(`Port ${wanted} is busy: free it, or set SERVICE_PORT.`);
  if (port !== wanted) progress.say(`  ..  port ${wanted} is busy: using ${port}`);
  return port;
}
