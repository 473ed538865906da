// Everything that must hold before a change is done, quick checks first. The same here and in CI.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };

/** `--quick` leaves the tests out. */
const STEPS = [
  ['install and build', 'node', 'scripts/bootstrap.mjs', 'build'],
  ['description as committed', 'git', 'diff', '--exit-code', '--stat', '--', 'api/generated/openapi.json'],
  ['types', 'node', 'node_modules/@typescript/native/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
  ['types of the console', 'node', 'node_modules/@typescript/native/bin/tsc', '-p', 'web/tsconfig.json'],
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['architecture', 'node', 'scripts/architecture/check.mjs'],
  ['unused code', 'knip', '--no-progress', '--treat-config-hints-as-errors'],
  ['lint with types', 'eslint', '--max-warnings', '0', '.'],
  ...(process.argv.includes('--quick') ? [] : [['tests', 'node', 'scripts/bootstrap.mjs', 'test']]),
];

const failed = [];
for (const [name, command, ...args] of STEPS) {
  const startedAt = Date.now();
  console.log(`--- ${name}`);
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) console.log(error.message);
  if (status !== 0) failed.push(name);
  console.log(
    `--- ${name}: ${status === 0 ? 'ok' : 'FAILED'} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  if (status !== 0 && name === 'install and build') break;
}
console.log(failed.length === 0 ? 'verified' : `failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
