import { execFile } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { EngineError } from '../engines/engine.js';

const run = promisify(execFile);
const PYTHON_MIN = 10;
const PYTHON_MAX = 13;
const NEEDED_BYTES = 2e9;

/** One thing that a machine needs. `problem` is null when all is well, otherwise the cause and the fix in one line. */
export interface Finding {
  readonly what: string;
  readonly found: string;
  readonly problem: string | null;
}

const PYTHON_PROBE = 'import sys, json\nmissing = []\nfor name in ("venv", "ensurepip", "pip"):\n    try: __import__(name)\n    except ImportError: missing.append(name)\nprint(json.dumps([sys.version_info.major, sys.version_info.minor, missing]))';

/** Python trains and fetches the engines. */
export async function checkPython(): Promise<Finding> {
  const what = 'Python 3.10 to 3.13 with venv and pip';
  const fix = 'install it (on Debian: apt install python3-venv python3-pip)';
  try {
    const { stdout } = await run('python3', ['-c', PYTHON_PROBE], { timeout: 20_000 });
    const [major, minor, missing] = JSON.parse(stdout) as [number, number, string[]];
    const found = `python3 ${major}.${minor}`;
    if (major !== 3 || minor < PYTHON_MIN || minor > PYTHON_MAX) return { what, found, problem: `${found} is on PATH, 3.10 to 3.13 is needed: ${fix} and put it first on PATH` };
    if (missing.length > 0) return { what, found, problem: `${found} lacks ${missing.join(' and ')}: ${fix}` };
    return { what, found, problem: null };
  } catch {
    return { what, found: 'none', problem: `python3 was not found or does not run: ${fix}` };
  }
}

export function checkDisk(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${(free / 1e9).toFixed(1)} GB free`;
  return { what: 'disk space', found, problem: free < NEEDED_BYTES ? `only ${found} for ${folder}: make room for at least 2 GB, or choose another place with --data-dir` : null };
}

export function checkNode(): Finding {
  const found = `Node ${process.versions.node}`;
  const major = Number(process.versions.node.split('.')[0]);
  return { what: 'Node 24', found, problem: major < 24 ? `${found} runs this command: install Node 24, or run it by npm start, which brings it` : null };
}

/** @throws EngineError with the first problem, before anything is made */
export async function requireMachine(folder: string): Promise<void> {
  const findings = [checkNode(), checkDisk(folder), await checkPython()];
  const problem = findings.find((finding) => finding.problem !== null)?.problem;
  if (problem) throw new EngineError(problem);
}
