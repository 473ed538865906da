// Upgrades platforms of the last release, which work, to this version: `npm run upgrade-lane [-- JEST-FLAGS]`. Where the
// release's commit is missing, as in a shallow clone, it upgrades the dump of its database and replays its histories instead.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCommit, releaseBuild } from './releases/release-build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const release = JSON.parse(readFileSync(join(ROOT, 'releases.json'), 'utf8')).at(-1);
const bootstrap = (...args) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts/bootstrap.mjs'), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  }).status ?? 1;

let variables = {};
const projects = ['upgrade'];
if (bootstrap('build') !== 0) process.exit(1);
if (hasCommit(ROOT, release.commit)) {
  const startedAt = Date.now();
  variables = { UPGRADE_FROM: releaseBuild(ROOT, release) };
  console.log(
    `upgrading from ${release.version} (${((Date.now() - startedAt) / 1000).toFixed(1)} s to build it)`,
  );
} else {
  console.log(
    `commit ${release.commit} is missing: upgrading a dump of ${release.version}, and replaying its histories`,
  );
  projects.push('integration');
}
const patterns = ['tests/upgrade/', 'tests/workflows/replay'];
process.exit(
  bootstrap(
    'test',
    ...process.argv.slice(2),
    '--testPathPatterns',
    ...patterns,
    '--selectProjects',
    ...projects,
  ),
);
