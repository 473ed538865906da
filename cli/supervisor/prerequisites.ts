import { execFile } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { locatePython, PYTHON_MISSING } from '../../adapters/process/python-locator.js';
import { EngineError } from '../engines/engine.js';

const run = promisify(execFile);
const NEEDED_BYTES = 2e9;

/** One thing that a machine needs. `problem` is null when all is well, otherwise the cause and the fix in one line. */
export interface Finding {
  readonly what: string;
  readonly found: string;
  readonly problem: string | null;
}

const PYTHON_PROBE =
  'import json\nmissing = []\nfor name in ("venv", "ensurepip", "pip"):\n    try: __import__(name)\n    except ImportError: missing.append(name)\nprint(json.dumps(missing))';

/** Python trains and fetches the engines. */
export async function checkPython(): Promise<Finding> {
  const what = 'Python with venv and pip';
  const python = await locatePython();
  if (python === null) return { what, found: 'none', problem: PYTHON_MISSING };
  const found = `Python ${python.version} (${python.executable})`;
  const { stdout } = await run(python.executable, ['-c', PYTHON_PROBE], { timeout: 20_000 });
  const missing = JSON.parse(stdout) as string[];
  return {
    what,
    found,
    problem:
      missing.length === 0
        ? null
        : `${found} lacks ${missing.join(' and ')}: install it (Debian, Ubuntu: apt install python3-venv python3-pip)`,
  };
}

export function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  return {
    what: 'disk space',
    found,
    problem:
      free < NEEDED_BYTES
        ? `only ${found} for ${folder}: make room for at least 2 GB, or choose another place with --data-dir`
        : null,
  };
}

export function checkNode(): Finding {
  const found = `Node ${process.versions.node}`;
  const major = Number(process.versions.node.split('.')[0]);
  return {
    what: 'Node 24',
    found,
    problem:
      major < 24
        ? `${found} runs this command: install Node 24, or run it by npm start, which brings it`
        : null,
  };
}

/** @throws EngineError with the first problem, before anything is made */
export async function requireMachine(folder: string): Promise<void> {
  const findings = [checkNode(), checkDisk(folder), await checkPython()];
  const problem = findings.find((finding) => finding.problem !== null)?.problem;
  if (problem) throw new EngineError(problem);
}

/** The folder itself or, as long as it does not exist, the nearest one above it. */
export const nearestFolder = (path: string): string =>
  existsSync(path) ? path : nearestFolder(dirname(path));
