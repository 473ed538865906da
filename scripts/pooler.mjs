// Tests the platform behind PgBouncer in transaction mode: `npm run pooler`, with options of Jest after `--`. Where PgBouncer
// cannot be had the lane is skipped as a whole, and says why.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
const bootstrap = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));
const bootstrapped = (...more) =>
  spawnSync(process.execPath, [bootstrap, ...more], { stdio: 'inherit' }).status ?? 1;

const built = bootstrapped('build');
if (built !== 0) process.exit(built);
const { ensurePooler } = await import(new URL('../dist/cli/engines/pooler.js', import.meta.url).href);
const { reason } = await ensurePooler();
if (reason !== null) skip(reason);
process.exit(bootstrapped('test', ...args, '--selectProjects', 'pooler'));

/** Leaves a report as Jest would of one test that was skipped. */
function skip(why) {
  const fullName = `the platform behind a pooler [skipped: ${why}]`;
  console.log(fullName);
  const file = args.find((arg) => arg.startsWith('--outputFile='))?.slice('--outputFile='.length);
  if (file !== undefined)
    writeFileSync(
      file,
      JSON.stringify({ testResults: [{ assertionResults: [{ status: 'pending', fullName }] }] }),
    );
  process.exit(0);
}
