// Builds and runs benchmarks, all or those named, with the packaged Node: `npm run bench -- [NAME...]`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

process.exit(
  run([at('scripts/bootstrap.mjs'), 'build']) || run([at('dist/bench/main.js'), ...process.argv.slice(2)]),
);
