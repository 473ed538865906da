#!/usr/bin/env node
// Makes the clone ready and hands over to the real command line. Runs on Node 18 and newer with nothing installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstLook } from './first-look.mjs';
import { SOURCES } from './source-folders.mjs';
import { inTurn } from './turns.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const NEEDED_DISK_BYTES = 4e9;
const at = (...parts) => join(ROOT, ...parts);

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const endAfterwards = () => process.exit(130);

/** One line with the cause and the fix; no stack. */
class Refusal extends Error {}

async function main([command = 'start', ...args]) {
  // What can be answered without packages installs none.
  const answer = command === 'start' ? firstLook(args, ROOT, isInstalled) : null;
  if (answer !== null) {
    process.stdout.write(answer.text);
    return answer.code;
  }
  await inTurn(ROOT, () => {
    // A signal while npm runs must not end this process before it has put things back.
    for (const signal of ENDING) process.on(signal, endAfterwards);
    if (!isInstalled()) install();
    if (command !== 'test' || !isUnitOnly(args)) {
      build();
      buildConsole();
    }
    for (const signal of ENDING) process.off(signal, endAfterwards);
  });
  if (command === 'build') return 0;
  if (command === 'test')
    return run(nodeBinary(), [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      at('node_modules/jest/bin/jest.js'),
      ...args,
      // The lane of faults is started by name: it takes as long as all the others together.
      ...(args.includes('--selectProjects') ? [] : ['--selectProjects', 'unit', 'integration']),
    ]);
  if (command !== 'start') throw new Refusal(`unknown command ${command}: use start, test or build`);
  return run(nodeBinary(), [at('dist/cli/main.js'), ...args]);
}

const isUnitOnly = (args) =>
  args[args.indexOf('--selectProjects') + 1] === 'unit' && args.includes('--selectProjects');

// ---- install ----

const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(at('package-lock.json')))
    .digest('hex');
const stampFile = () => at('node_modules/.visionops-stamp');

/** A linked node_modules belongs to somebody else: it is taken as it is. */
function isInstalled() {
  if (!existsSync(at('node_modules/typescript/package.json'))) return false;
  if (lstatSync(at('node_modules')).isSymbolicLink()) return true;
  if (existsSync(stampFile()) && readFileSync(stampFile(), 'utf8') === lockHash()) return true;
  if (!matchesLock()) return false;
  writeFileSync(stampFile(), lockHash());
  return true;
}

/** True when what npm installed is what the lock file asks for: it may have changed in the project's version alone. */
function matchesLock() {
  if (!existsSync(at('node_modules/.package-lock.json'))) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(at(file), 'utf8')).packages;
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, entry]) =>
      path === '' ||
      installed[path]?.version === entry.version ||
      (installed[path] === undefined && mayBeAbsent(path, entry)),
  );
}

/** npm leaves out what is made for other platforms, among them those whose C library is musl. */
function mayBeAbsent(path, { optional, devOptional, peer, os, cpu }) {
  const isForHere = os?.includes(process.platform) && cpu?.includes(process.arch) && !path.includes('musl');
  return peer || devOptional || (optional && !isForHere);
}

function install() {
  requireDisk();
  say('installing packages (about 1.1 GB on disk, Node 24 included)');
  const aside = at(`node_modules.${process.pid}`);
  const had = existsSync(at('node_modules'));
  if (had) renameSync(at('node_modules'), aside);
  // npm run puts the packages' own Node first on the path, so the one that runs this file may just have moved.
  const node =
    had && process.execPath.startsWith(at('node_modules/'))
      ? join(aside, relative(at('node_modules'), process.execPath))
      : process.execPath;
  const result = npm(node, [
    'ci',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--no-progress',
  ]);
  if (result.status === 0) {
    writeFileSync(stampFile(), lockHash());
    rmSync(aside, { recursive: true, force: true });
    return;
  }
  rmSync(at('node_modules'), { recursive: true, force: true });
  if (had) renameSync(aside, at('node_modules'));
  throw new Refusal(
    `the packages could not be installed (${reasonOf(result)}): check the network or the npm registry and run the command again`,
  );
}

function npm(node, args) {
  const script = process.env.npm_execpath;
  const own = script !== undefined && /npm-cli\.[cm]?js$/.test(script);
  return spawnSync(own ? node : 'npm', own ? [script, ...args] : args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function reasonOf(result) {
  if (result.error) return result.error.code === 'ENOENT' ? 'npm was not found' : result.error.message;
  const lines = result.stderr
    .split('\n')
    .flatMap((line) => /^npm (?:ERR!|error)\s+(.*\S)/.exec(line)?.[1] ?? []);
  return (
    lines.find((line) => !/^(code|errno|syscall|A complete log)\b/.test(line)) ??
    `npm ended with ${result.status}`
  ).slice(0, 200);
}

function requireDisk() {
  if (typeof statfsSync !== 'function') return;
  const { bavail, bsize } = statfsSync(ROOT);
  if (bavail * bsize < NEEDED_DISK_BYTES)
    throw new Refusal(
      `only ${((bavail * bsize) / 1e9).toFixed(1)} GB of disk are free and 4 GB are needed: make room and run the command again`,
    );
}

// ---- build ----

/** The native compiler takes a fifth of the time; where its package has no build for this platform, the other emits the same. */
const compiler = () =>
  existsSync(at('node_modules/@typescript', `typescript-${process.platform}-${process.arch}`))
    ? at('node_modules/@typescript/native/bin/tsc')
    : at('node_modules/typescript/bin/tsc');

function build() {
  const wanted = sourceSignature();
  const stamp = at('dist/.build-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const started = Date.now();
  rmSync(stamp, { force: true });
  const generator = at('scripts/openapi/generate.mjs');
  if (existsSync(generator)) step('the routes could not be generated', [generator]);
  step('the sources do not compile', [compiler(), '-p', at('tsconfig.json')]);
  removeOrphans();
  copyAssets();
  if (existsSync(at('dist/workflows/index.js')))
    step('the workflows could not be bundled', [at('scripts/build-workflow-bundle.mjs')]);
  // Generating may have touched files: the signature is taken again.
  writeFileSync(stamp, sourceSignature());
  say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** Does nothing while the console's sources are those of its last build. */
function buildConsole() {
  const started = Date.now();
  step('the console could not be built', [at('scripts/console/build-console.mjs')]);
  const took = (Date.now() - started) / 1000;
  if (took > 1) say(`console built in ${took.toFixed(1)} s`);
}

function step(failure, args) {
  const result = spawnSync(nodeBinary(), args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  throw new Refusal(`${failure}: see the lines above`);
}

function filesBelow(folder, wanted, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesBelow(path, wanted, found);
    else if (wanted(entry.name)) found.push(path);
  }
  return found;
}

/** Paths, sizes and times of all sources: a few milliseconds, and no false "fresh". */
function sourceSignature() {
  const hash = createHash('sha256');
  const single = ['package-lock.json', 'tsconfig.json', 'tsoa.json']
    .map((name) => at(name))
    .filter((path) => existsSync(path));
  const sources = SOURCES.filter((folder) => existsSync(at(folder))).flatMap((folder) =>
    filesBelow(at(folder), (name) => /\.(ts|mjs|json)$/.test(name)),
  );
  for (const path of [...single, ...sources].sort()) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(ROOT, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** A compiled file without a source would still be loaded, or run as a test. */
function removeOrphans() {
  for (const folder of SOURCES.filter((name) => existsSync(at('dist', name)))) {
    for (const path of filesBelow(at('dist', folder), (name) => name.endsWith('.js'))) {
      const source = at(relative(at('dist'), path).replace(/\.js$/, '.ts'));
      if (existsSync(source)) continue;
      rmSync(path);
      rmSync(`${path}.map`, { force: true });
    }
  }
}

function copyAssets() {
  const document = at('api/generated/openapi.json');
  if (!existsSync(document)) return;
  mkdirSync(at('dist/api/generated'), { recursive: true });
  cpSync(document, at('dist/api/generated/openapi.json'));
}

// ---- run ----

function nodeBinary() {
  const packaged = at(`node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(packaged)) return packaged;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Refusal(
    `Node 24 is not packaged for ${process.platform}-${process.arch}: install Node 24 and run the command with it`,
  );
}

/** Runs the command in the foreground; signals and the exit code pass through. */
function run(command, args) {
  const child = spawn(command, args, {
    cwd: process.cwd(),
    stdio: 'inherit',
    env: { ...process.env, VISIONOPS_ROOT: ROOT },
  });
  for (const signal of ENDING) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

const say = (text) => process.stderr.write(`visionops: ${text}\n`);

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    say(error instanceof Refusal ? error.message : (error.stack ?? String(error)));
    process.exit(1);
  },
);
