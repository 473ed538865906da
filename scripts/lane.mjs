// Tests that need more than the engines: `npm run pooler` the platform behind PgBouncer in transaction mode, `npm run
// many-machines` an installation on three machines (network namespaces) behind it, `npm run containers` the image of
// docker/Dockerfile, built and run, `npm run mlflow-clients` the stock client of MLflow against a whole platform (the newest
// version; `-- --all` the three newest), `npm run learning` a network that learns from scratch (one task in turn by the count of
// commits; `-- --all` all of them), `npm run browser` the console in Chromium; with options of Jest after `--`. Where what a lane
// needs cannot be had it is skipped as a whole, and says why.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [lane, ...given] = process.argv.slice(2);
const args = given.filter((argument) => argument !== '--all');
const all = args.length < given.length;
if (all) process.env.MLFLOW_CLIENTS = 'all';
const bootstrap = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));
const bootstrapped = (...more) =>
  spawnSync(process.execPath, [bootstrap, ...more], { stdio: 'inherit' }).status ?? 1;

const built = bootstrapped('build');
if (built !== 0) process.exit(built);
const load = (file) => import(new URL(`../dist/${file}`, import.meta.url).href);
const packages = async (name) =>
  (await (await load('cli/engines/debian-packages.js')).ensurePackages(name)).reason;
const network = async () => (await load('tests/many-machines/support/machine-network.js')).networkProblem();
const containers = async () =>
  (await load('tests/containers/support/container-problem.js')).containerProblem();
/** Within this time the base of the image is made, or it was made before; a network that gives it more slowly is no failure. */
const BASE_LIMIT_S = 120;
const base = async () => {
  const script = fileURLToPath(new URL('../dist/tests/containers/support/prepare-base.js', import.meta.url));
  const limited = ['--kill-after=10', String(BASE_LIMIT_S), process.execPath, script];
  const { status, stderr } = spawnSync('timeout', limited, { encoding: 'utf8' });
  if (status === 0) return null;
  const why =
    status === 124 || status === 137 ? `not within ${BASE_LIMIT_S} s` : stderr.trim().split('\n').at(-1);
  return `the base of the image cannot be made: ${why}`;
};

const clients = async () =>
  (await load('tests/mlflow-clients/support/client-environment.js')).clientProblem();
const torch = async (runtime) =>
  (await load('tests/learning/support/torch-problem.js')).torchProblem(runtime);
const chromium = async () => (await load('tests/setup/chromium.js')).chromiumProblem();

/** What each lane needs, as questions that answer with the reason why it cannot be had, or null. */
const NEEDS = {
  pooler: [() => packages('pgbouncer')],
  'many-machines': [() => packages('pgbouncer'), network],
  'mlflow-clients': [clients],
  containers: [containers, network, () => packages('buildah'), base],
  learning: [() => torch('torchvision')],
  browser: [chromium],
};

for (const need of NEEDS[lane]) {
  const reason = await need();
  if (reason !== null) skip(reason);
}
/** Tasks that have been shown to clear their bars with room above them. */
const LEARNED = ['detection', 'semantic_segmentation', 'classification', 'instance_segmentation', 'pose'];
if (lane === 'learning' && !all) {
  // What else the lane holds runtimes to runs with `--all`.
  if (!args.some((arg) => arg.endsWith('.test.js')))
    args.push(
      ...['figures', 'device-agent', 'learning'].map((name) => `dist/tests/learning/${name}.test.js`),
    );
  const commits = spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' }).stdout;
  process.env.LEARNING_TASKS ??= LEARNED[(Number(commits) || 0) % LEARNED.length];
  console.log(`learning ${process.env.LEARNING_TASKS}`);
}
// A runtime that has a licence of its own is tried where it can be had, and the others without it.
if (lane === 'learning' && all) process.env.ULTRALYTICS_PROBLEM = (await torch('ultralytics')) ?? '';
// The client follows trainings of torch where its packages are here, and the others without it.
if (lane === 'mlflow-clients')
  process.env.TORCH_PROBLEM =
    (await (await load('tests/mlflow-clients/support/torch-packages.js')).torchHereProblem()) ?? '';
// Each file has machines or containers of its own, which fill this machine.
const inTurn = lane === 'pooler' ? [] : ['--runInBand'];
process.exit(bootstrapped('test', ...args, ...inTurn, '--selectProjects', lane));

/** Leaves a report as Jest would of one test that was skipped. */
function skip(why) {
  const fullName = `${lane} [skipped: ${why}]`;
  console.log(fullName);
  const file = args.find((arg) => arg.startsWith('--outputFile='))?.slice('--outputFile='.length);
  if (file !== undefined)
    writeFileSync(
      file,
      JSON.stringify({ testResults: [{ assertionResults: [{ status: 'pending', fullName }] }] }),
    );
  process.exit(0);
}
