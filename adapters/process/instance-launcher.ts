import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bootId } from './process-table.js';
import type { RuntimeEnvironment } from './runtime-environment.js';
import { trackerAddressFile } from './tracker-address.js';
import type { LaunchRecord, SpecRecord } from './workload-records.js';
import { safeRelative, type WorkloadStore, writeJson } from './workload-store.js';

const JOB_LOG_BYTES = 64 * 2 ** 20;
const SERVICE_LOG_BYTES = 32 * 2 ** 20;
/** Set in every process of a workload and inherited by its descendants; by it the reconciler finds what is left. */
export const MARKER = 'VISIONOPS_WORKLOAD';

export const markerOf = (root: string, id: string, index: number): string => `${root}/${id}/${index}`;

/** A port that is free at the address now. Another program may take it before the instance does: the instance then dies and gets another. */
export function freePort(address: string): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, address, () => {
      const bound = server.address();
      server.close(() =>
        bound !== null && typeof bound === 'object' ? done(bound.port) : fail(new Error('no port')),
      );
    });
  });
}

/** The whole environment of a workload: nothing of the platform's own comes along. */
export function environmentOf(
  spec: SpecRecord,
  root: string,
  work: string,
  marker: string,
  listen: { readonly port: number; readonly address: string } | null,
): Record<string, string> {
  return {
    ...spec.env,
    ...(spec.env.TRACKER_URL === undefined ? {} : { TRACKER_URL_FILE: trackerAddressFile(root) }),
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: join(work, 'home'),
    TMPDIR: join(work, 'tmp'),
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONNOUSERSITE: '1',
    ...(listen === null ? {} : { PORT: String(listen.port), HOST: listen.address }),
    [MARKER]: marker,
  };
}

/** Which attempt of which instance is started, and what it may reach. */
export interface LaunchPlace extends Pick<LaunchRecord, 'attempt' | 'connect'> {
  readonly index: number;
  /** Where an instance of a service listens. */
  readonly address: string;
}

/**
 * Starts one attempt of an instance: writes what is to run, then starts the shim, which goes on without this process.
 * A repeat with the same attempt starts nothing twice (the shim checks).
 */
export async function launchInstance(
  store: WorkloadStore,
  spec: SpecRecord,
  { index, attempt, address, connect }: LaunchPlace,
  environment: RuntimeEnvironment,
  now: Date,
): Promise<void> {
  const directory = store.instance(spec.id, index);
  const work = store.work(spec.id);
  await rm(join(directory, 'stop.json'), { force: true });
  const libraries: Record<string, string> =
    environment.libraryPath === null ? {} : { LD_LIBRARY_PATH: environment.libraryPath };
  const port = spec.kind === 'service' ? await freePort(address) : null;
  const entrypoint = spec.entrypoint.startsWith('./')
    ? join(work, safeRelative(spec.entrypoint.slice(2)))
    : join(environment.programs, safeRelative(spec.entrypoint));
  const launch: LaunchRecord = {
    attempt,
    kind: spec.kind,
    argv: [environment.python, entrypoint, ...spec.args],
    stageArgv: spec.hasDownloads ? [environment.python, '-I', environment.stager, work] : null,
    cwd: work,
    env: {
      ...libraries,
      ...environmentOf(
        spec,
        store.root,
        work,
        markerOf(store.root, spec.id, index),
        port === null ? null : { port, address },
      ),
    },
    uid: spec.uid,
    memoryBytes: spec.memoryBytes,
    timeoutS: spec.timeoutS,
    logMaxBytes: spec.kind === 'job' ? JOB_LOG_BYTES : SERVICE_LOG_BYTES,
    port,
    address,
    connect,
    launchedAt: now.toISOString(),
    bootId: bootId(),
  };
  await writeJson(join(directory, 'launch.json'), launch);
  const child = spawn(environment.python, ['-I', '-S', environment.shim, directory], {
    cwd: '/',
    env: {
      ...libraries,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'C.UTF-8',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    detached: true,
    stdio: 'ignore',
  });
  await new Promise<void>((done, fail) => child.once('spawn', done).once('error', fail));
  child.unref();
}
