// What the command line answers before anything is installed: its help, its version, and what the machine lacks for an
// install. Runs on Node 18 and newer with nothing but the standard library.
import { spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const OLDEST_NODE = 20;
const NEEDED_DISK_BYTES = 4e9;
const PYTHON_PROBE = `import sys, json
missing = []
for name in ("venv", "ensurepip", "pip"):
    try: __import__(name)
    except ImportError: missing.append(name)
print(json.dumps({"minor": sys.version_info[1], "missing": missing}))`;

/**
 * @param args what stands after `npm start --`
 * @param root the clone
 * @param isInstalled asked only when it matters
 * @returns text and exit code, or null when the command itself has to run
 */
export function firstLook(args, root, isInstalled) {
  // The value of a flag is no command: `--data-dir help`.
  const words = args.filter(
    (_word, index) => !['--data-dir', '--port', '-o', '--output'].includes(args[index - 1]),
  );
  const command = words.find((word) => !word.startsWith('-'));
  if (command === 'help' || words.includes('--help') || words.includes('-h'))
    return { text: readFileSync(join(root, 'cli/usage.txt'), 'utf8'), code: 0 };
  if (words.includes('--version') || words.includes('-v'))
    return { text: `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`, code: 0 };
  return command === 'doctor' && !isInstalled() ? doctor(root) : null;
}

function doctor(root) {
  const findings = [node(), npm(), python(), disk(root)];
  const problems = findings.filter((finding) => finding.problem !== null).length;
  const lines = findings.map(
    ({ what, found, problem }) =>
      `  ${problem === null ? 'ok  ' : '!!  '}${what.padEnd(40)} ${problem ?? found}`,
  );
  lines.push(
    '  ..  packages                                 not installed yet: the first start does it, about 1.1 GB',
  );
  lines.push(
    problems === 0
      ? 'This machine has what an install needs. After it, doctor checks the rest.'
      : `${problems} problem${problems === 1 ? '' : 's'} to solve first.`,
  );
  return { text: `${lines.join('\n')}\n`, code: problems === 0 ? 0 : 1 };
}

function node() {
  const found = `Node ${process.versions.node}`;
  const isOld = Number(process.versions.node.split('.')[0]) < OLDEST_NODE;
  return {
    what: `Node ${OLDEST_NODE} or newer`,
    found,
    problem: isOld ? `${found} is too old: install Node ${OLDEST_NODE} or newer` : null,
  };
}

function npm() {
  const { stdout, status } = spawnSync('npm', ['--version'], { encoding: 'utf8' });
  return {
    what: 'npm',
    found: `npm ${String(stdout).trim()}`,
    problem: status === 0 ? null : 'npm was not found: install it beside Node',
  };
}

function python() {
  const what = 'Python with venv and pip';
  const names = process.env.SERVICE_PYTHON
    ? [process.env.SERVICE_PYTHON]
    : ['python3', 'python3.12', 'python3.13', 'python3.11', 'python3.14', 'python3.10'];
  for (const name of names) {
    const { stdout, status } = spawnSync(name, ['-I', '-c', PYTHON_PROBE], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    if (status !== 0) continue;
    const { minor, missing } = JSON.parse(stdout);
    if (minor < 10 || minor > 14) continue;
    const found = `Python 3.${minor} (${name})`;
    return {
      what,
      found,
      problem:
        missing.length === 0
          ? null
          : `${found} lacks ${missing.join(' and ')}: install it (Debian, Ubuntu: apt install python3-venv python3-pip)`,
    };
  }
  return {
    what,
    found: 'none',
    problem:
      'Python 3.10 to 3.14 was not found: install it (Debian, Ubuntu: apt install python3 python3-venv) or name it in SERVICE_PYTHON',
  };
}

function disk(root) {
  const { bavail, bsize } = statfsSync(root);
  const found = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`;
  return {
    what: 'disk space',
    found,
    problem: bavail * bsize < NEEDED_DISK_BYTES ? `only ${found}: make room for at least 4 GB` : null,
  };
}
