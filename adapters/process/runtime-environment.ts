import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { AppError } from '../../core/errors/app-error.js';
import { locatePython, PYTHON_MISSING, type Python } from './python-locator.js';
import { ensurePassable, isRoot } from './workload-dirs.js';

/** What a workload of one runtime is started with. All paths can be read by users without privileges. */
export interface RuntimeEnvironment {
  readonly python: string;
  /** Folder of train.py and serve.py: a copy, so that a change of the sources does not reach workloads that run. */
  readonly programs: string;
  readonly stager: string;
  readonly shim: string;
  /** LD_LIBRARY_PATH of an interpreter that was copied to where users can reach it; null when none is needed. */
  readonly libraryPath: string | null;
}

export interface RuntimeProgress {
  readonly step: string;
  /** 0..1 */
  readonly fraction: number;
  readonly text: string;
}

export interface EnsureOptions {
  readonly runtime: string;
  /** docker/runtimes; docker/contract, docker/stagers and docker/process lie beside it. */
  readonly runtimesDir: string;
  readonly cacheDir: string;
  readonly onProgress?: (progress: RuntimeProgress) => void;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const FIXES: Readonly<Record<number, string>> = {
  10: 'install the missing part (Debian, Ubuntu: apt install python3-venv python3-pip), then start again.',
  11: 'connect this machine to the network (or set PIP_INDEX_URL) and start again; later starts need no network.',
  13: 'install a system-wide Python (Debian, Ubuntu: apt install python3 python3-venv) and start again.',
  12: 'free some space and start again.',
};

/**
 * Makes the virtual environment of a runtime, once, and copies its programs. Safe to call from several processes at once:
 * one builds, the others wait. A finished environment needs no network.
 * @throws AppError service_unavailable with one line that names the cause and the fix
 */
export async function ensureRuntimeVenv(options: EnsureOptions): Promise<RuntimeEnvironment> {
  const source = join(options.runtimesDir, options.runtime);
  const requirements = join(source, 'requirements.txt');
  if (!/^[a-z0-9-]+$/.test(options.runtime) || !existsSync(requirements))
    throw new AppError('not_found', `There is no runtime ${options.runtime}.`);
  const python = await locatePython(options.env);
  if (python === null) throw new AppError('service_unavailable', PYTHON_MISSING);
  ensurePassable(join(options.cacheDir, 'venvs'));
  const beside = (folder: string) => resolve(options.runtimesDir, '..', folder);
  const [programs, stagers, processes] = await Promise.all(
    [[beside('contract'), source], [beside('stagers/dataset')], [beside('process')]].map((folders) =>
      copyPrograms(folders, options.cacheDir),
    ),
  );
  const target = await environmentFolder(options, python);
  if (!existsSync(join(target, 'ready')))
    await build(python, target, requirements, join(processes ?? '', 'build_venv.py'), options);
  const { libraryPath } = JSON.parse(await readFile(join(target, 'ready'), 'utf8')) as {
    libraryPath: string | null;
  };
  options.onProgress?.({ step: 'done', fraction: 1, text: 'Runtime ready' });
  return {
    python: join(target, 'bin/python'),
    programs: programs ?? '',
    stager: join(stagers ?? '', 'stage.py'),
    shim: join(processes ?? '', 'shim.py'),
    libraryPath,
  };
}

/** Where the virtual environment of a runtime lies, made or not: another for other requirements or another interpreter. */
async function environmentFolder(
  { runtimesDir, runtime, cacheDir }: Pick<EnsureOptions, 'runtimesDir' | 'runtime' | 'cacheDir'>,
  python: Python,
): Promise<string> {
  const key = createHash('sha256')
    .update('2')
    .update(await readFile(join(runtimesDir, runtime, 'requirements.txt')))
    .update(python.version)
    .update(python.executable)
    .digest('hex')
    .slice(0, 32);
  return join(cacheDir, 'venvs', `${runtime}-py${python.version}-${key}`);
}

/** Whether the environment of a runtime is ready for use. */
export async function isEnvironmentReady(
  options: Pick<EnsureOptions, 'runtimesDir' | 'runtime' | 'cacheDir'>,
  python: Python,
): Promise<boolean> {
  return existsSync(join(await environmentFolder(options, python), 'ready'));
}

/**
 * Copies programs to `programs/<digest of their content>`; a copy that exists is taken as it is. The file
 * of the last folder counts where several have one name.
 */
async function copyPrograms(folders: readonly string[], cacheDir: string): Promise<string> {
  const files = new Map<string, string>();
  for (const folder of folders)
    for (const entry of await readdir(folder, { withFileTypes: true }))
      if (entry.isFile() && /\.(py|yaml)$/.test(entry.name)) files.set(entry.name, join(folder, entry.name));
  const members = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256');
  for (const [name, path] of members) digest.update(`${name}\0`).update(await readFile(path));
  const target = join(cacheDir, 'programs', digest.digest('hex').slice(0, 32));
  if (existsSync(target)) return target;
  ensurePassable(join(cacheDir, 'programs'));
  const draft = `${target}.${process.pid}.${Math.random().toString(36).slice(2, 8)}`;
  await mkdir(draft, { mode: 0o755 });
  for (const [name, path] of members) {
    await cp(path, join(draft, name));
    await chmod(join(draft, name), 0o644);
  }
  await chmod(draft, 0o755);
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  });
  return target;
}

async function build(
  python: Python,
  target: string,
  requirements: string,
  builder: string,
  options: EnsureOptions,
): Promise<void> {
  const reachable = isRoot() ? ['--reachable'] : [];
  const child = spawn(
    python.executable,
    ['-I', builder, '--target', target, '--requirements', requirements, ...reachable],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1', PYTHONDONTWRITEBYTECODE: '' },
    },
  );
  // The builder runs pip below it: all of them end together.
  const abort = () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
  options.signal?.addEventListener('abort', abort, { once: true });
  let failure = '';
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = parseLine(line);
    if (said?.error !== undefined) failure = said.error;
    else if (said?.text !== undefined && said.step !== 'done')
      options.onProgress?.({ step: said.step ?? '', fraction: said.fraction ?? 0, text: said.text });
  });
  const code = await new Promise<number | null>((done, fail) =>
    child.once('error', fail).once('close', done),
  );
  options.signal?.removeEventListener('abort', abort);
  if (code === 0) return;
  if (options.signal?.aborted)
    throw new AppError(
      'service_unavailable',
      `Preparing the runtime ${options.runtime} was interrupted: start again.`,
    );
  const cause = failure || errors.trim().split('\n').at(-1) || 'the builder was killed';
  const fix = FIXES[code ?? 1] ?? 'remove the cause and start again.';
  throw new AppError(
    'service_unavailable',
    `The runtime ${options.runtime} cannot be prepared with Python ${python.version}: ${cause}; ${fix}`,
  );
}

function parseLine(line: string): { error?: string; step?: string; fraction?: number; text?: string } | null {
  try {
    return JSON.parse(line) as { error?: string; step?: string; fraction?: number; text?: string };
  } catch {
    return null;
  }
}
