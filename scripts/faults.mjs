// Kills parts of platforms at work: `npm run faults [-- --short] [-- PATTERN ...]`, where a pattern names test files.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
const isShort = args.includes('--short');
const given = args.filter((arg) => arg !== '--short');
const patterns = given.filter((arg) => !arg.startsWith('-'));
const bootstrap = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));

const { status } = spawnSync(
  process.execPath,
  [
    bootstrap,
    'test',
    ...given.filter((arg) => arg.startsWith('-')),
    ...(patterns.length === 0 ? [] : ['--testPathPatterns', ...patterns]),
    // In a full run the kills of one file must not slow down the jobs of another.
    ...(isShort ? [] : ['--maxWorkers=1']),
    '--selectProjects',
    'faults',
  ],
  { stdio: 'inherit', env: { ...process.env, FAULT_RUN: isShort ? 'short' : 'full' } },
);
process.exit(status ?? 1);
