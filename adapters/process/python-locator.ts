import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isRoot, othersCanPass } from './workload-dirs.js';

const run = promisify(execFile);

export interface Python {
  /** The program itself, not a launcher that chooses a version. */
  readonly executable: string;
  /** major.minor */
  readonly version: string;
  /** Whether users without privileges can execute it where it lies. */
  readonly isReachable: boolean;
}

const OLDEST_MINOR = 10;
const NEWEST_MINOR = 14;
const REPORT =
  'import sys, os; print(os.path.realpath(sys.executable), sys.base_prefix, "%d.%d" % sys.version_info[:2], sep="\\n")';

/** Names in the order they are asked for; SERVICE_PYTHON comes first and then alone. */
export function pythonCandidates(env: Readonly<Record<string, string | undefined>>): string[] {
  if (env.SERVICE_PYTHON) return [env.SERVICE_PYTHON];
  const folders = [
    ...new Set([...(env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin']),
  ].filter((folder) => folder !== '');
  const names = ['python3', ...[12, 13, 11, 14, 10].map((minor) => `python3.${minor}`)];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function inspect(path: string): Promise<Python | null> {
  try {
    const { stdout } = await run(path, ['-I', '-c', REPORT], { timeout: 10_000 });
    const [executable = path, prefix = '/', version = ''] = stdout.trim().split('\n');
    const minor = Number(/^3\.(\d+)$/.exec(version)?.[1] ?? -1);
    if (minor < OLDEST_MINOR || minor > NEWEST_MINOR) return null;
    return { executable, version, isReachable: othersCanPass(executable) && othersCanPass(prefix) };
  } catch {
    return null;
  }
}

/**
 * A Python that the runtimes support. As root one that other users can execute is preferred. Null when there is none.
 * @param env SERVICE_PYTHON names one interpreter and excludes all others
 */
export async function locatePython(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Python | null> {
  let fallback: Python | null = null;
  for (const path of pythonCandidates(env)) {
    const found = await inspect(path);
    if (found !== null && (found.isReachable || !isRoot())) return found;
    fallback ??= found;
  }
  return fallback;
}

export const PYTHON_MISSING = `Python 3.${OLDEST_MINOR} to 3.${NEWEST_MINOR} was not found: install it (Debian, Ubuntu: apt install python3 python3-venv) or name it in SERVICE_PYTHON.`;
