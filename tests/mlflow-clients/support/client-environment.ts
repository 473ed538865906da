import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locatePython } from '../../../adapters/process/python-locator.js';
import { cacheDir, projectRoot } from '../../../cli/engines/engine-lock.js';

/**
 * The newest minor versions of MLflow's client that can be installed, the newest first: the first is what
 * `pip install mlflow` takes. 3.18.0 is not among them while mlflow-skinny 3.18.0, which it needs, is not to be had.
 */
const CLIENT_VERSIONS = ['3.17.2', '3.16.1', '3.15.2'] as const;

/** One for each commit, all of them where the lane is asked for that. */
export const testedVersions = (): readonly string[] =>
  process.env.MLFLOW_CLIENTS === 'all' ? CLIENT_VERSIONS : CLIENT_VERSIONS.slice(0, 1);

/** That of the lane's 300 s in each commit's CI. */
const INSTALL_LIMIT_S = 180;

const FOLDER = join(projectRoot(), 'tests/mlflow-clients/support');
export const NOTEBOOK = join(FOLDER, 'notebook.py');
export const TORCH_NOTEBOOK = join(FOLDER, 'torch_notebook.py');

const lockOf = (version: string): string =>
  ['common.txt', `mlflow-${version}.txt`]
    .map((file) => readFileSync(join(FOLDER, 'clients', file), 'utf8'))
    .join('');

function environmentOf(version: string): string {
  const digest = createHash('sha256').update(lockOf(version)).digest('hex').slice(0, 16);
  return join(cacheDir(), `mlflow-${version}-${digest}`);
}

export const pythonOf = (version: string): string => join(environmentOf(version), 'bin/python');

/** Installs the tested versions into the cache, each once. @returns why that cannot be done, or null */
export async function clientProblem(): Promise<string | null> {
  const python = await locatePython();
  if (python === null) return 'Python 3.10 or newer is needed: set SERVICE_PYTHON to its path';
  mkdirSync(cacheDir(), { recursive: true });
  for (const version of testedVersions()) {
    const problem = await install(python.executable, version);
    if (problem !== null) return `MLflow ${version} cannot be installed: ${problem}`;
  }
  return null;
}

async function install(python: string, version: string): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-mlflow-'));
  try {
    const requirements = join(folder, 'requirements.txt');
    writeFileSync(requirements, lockOf(version));
    const builder = join(projectRoot(), 'docker/process/build_venv.py');
    const order = [builder, '--target', environmentOf(version), '--requirements', requirements];
    const limitS = testedVersions().length === 1 ? INSTALL_LIMIT_S : null;
    const { code, output } = await run(python, order, process.env, undefined, limitS);
    if (code === null) return `it takes longer than ${INSTALL_LIMIT_S} s here`;
    return code === 0 ? null : (output.trim().split('\n').at(-1) ?? 'it ended without a word');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end, or to the limit: then it is ended with its children, and its code is null. */
export function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd?: string,
  limitS: number | null = null,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, args, {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'], detached: limitS !== null },
    ...(cwd ? { cwd } : {}),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = limitS === null ? undefined : setTimeout(() => endGroup(child.pid), limitS * 1000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
