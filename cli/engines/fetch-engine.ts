import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import {
  access,
  chmod,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { locatePython, PYTHON_MISSING } from '../../adapters/process/python-locator.js';
import { EngineError } from './engine.js';
import { type BinaryName, type BinaryPin, cacheDir, platformKey, readEngineLock } from './engine-lock.js';

const run = promisify(execFile);

export interface EngineBinary {
  readonly path: string;
  readonly origin: 'variable' | 'path' | 'cache' | 'fetched';
}

export interface FetchOptions {
  /** A binary that was found and checked already. */
  readonly binary?: EngineBinary;
  /** Called once when something is about to be downloaded. */
  readonly onFetch?: (text: string) => void;
}

/**
 * Finds an engine's binary: its own variable, PATH, the cache, and at last one pinned download into the cache.
 * What comes from the cache is checked against its sha256 every time.
 * @throws EngineError one line with the fix
 */
export async function ensureEngine(name: BinaryName, options: FetchOptions = {}): Promise<EngineBinary> {
  const pin = readEngineLock()[name];
  const own = process.env[pin.variable];
  if (own) return { path: await acceptOwn(own, pin), origin: 'variable' };
  const onPath = await findOnPath(pin);
  if (onPath !== null) return { path: onPath, origin: 'path' };
  const cached = join(cacheDir(), 'engines', `${pin.package}-${pin.version}`, pin.binary);
  const platform = pin.platforms[platformKey()];
  if (platform === undefined)
    throw new EngineError(
      `There is no pinned ${pin.binary} for ${platformKey()}: install it and set ${pin.variable} to its path.`,
    );
  if (existsSync(cached) && (await sha256Of(cached)) === platform.binarySha256)
    return { path: cached, origin: 'cache' };
  options.onFetch?.(`fetching ${pin.package} ${pin.version} (${pin.sizeMb} MB)`);
  await fetchWheel(pin, platform.wheelSha256, platform.binarySha256, cached);
  return { path: cached, origin: 'fetched' };
}

async function acceptOwn(path: string, pin: BinaryPin): Promise<string> {
  const version = await versionOf(path, pin);
  if (version === null)
    throw new EngineError(
      `${pin.variable}=${path} is not a ${pin.binary} that runs: correct the variable or unset it.`,
    );
  if (!isAtLeast(version, pin.minimum))
    throw new EngineError(
      `${pin.variable} is version ${version}, at least ${pin.minimum} is needed: update it or unset the variable.`,
    );
  return path;
}

/** A binary on PATH that is too old is passed over, as if it were not there. */
async function findOnPath(pin: BinaryPin): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, pin.binary);
    if (folder === '' || !(await isExecutable(path))) continue;
    const version = await versionOf(path, pin);
    if (version !== null && isAtLeast(version, pin.minimum)) return path;
  }
  return null;
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function versionOf(path: string, pin: BinaryPin): Promise<string | null> {
  try {
    const { stdout } = await run(path, pin.versionCommand, { timeout: 10_000 });
    return new RegExp(pin.versionPattern).exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Compares dotted numbers; missing places count as 0. */
export function isAtLeast(version: string, minimum: string): boolean {
  const have = version.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  for (let place = 0; place < Math.max(have.length, need.length); place += 1) {
    const difference = (have[place] ?? 0) - (need[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

/** Everything happens in a temporary folder of the cache; one rename makes the binary appear, whole or not at all. */
async function fetchWheel(
  pin: BinaryPin,
  wheelSha256: string,
  binarySha256: string,
  target: string,
): Promise<void> {
  const folder = join(target, '..');
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const work = await mkdtemp(join(folder, '.fetch-'));
  try {
    const wheel = await downloadWheel(pin, wheelSha256, work);
    const unpacked = join(work, pin.binary);
    await extractScript(wheel, pin.binary, unpacked);
    if ((await sha256Of(unpacked)) !== binarySha256)
      throw new EngineError(
        `The ${pin.binary} in ${pin.package} ${pin.version} differs from its pin: it was not installed. Check the package index in use.`,
      );
    await chmod(unpacked, 0o755);
    await rename(unpacked, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A fetch that was killed could not clean up; none takes an hour. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((entry) => entry.startsWith('.fetch-'))) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > 3_600_000) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function downloadWheel(pin: BinaryPin, sha256: string, work: string): Promise<string> {
  const requirements = join(work, 'requirements.txt');
  await writeFile(requirements, `${pin.package}==${pin.version} --hash=sha256:${sha256}\n`);
  const args = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--require-hashes',
    '-r',
    requirements,
    '-d',
    work,
  ];
  const python = await locatePython();
  if (python === null) throw new EngineError(PYTHON_MISSING);
  try {
    await run(python.executable, args, { timeout: 600_000 });
  } catch (error) {
    throw new EngineError(
      `${pin.package} ${pin.version} could not be fetched (${firstReason(error)}): check the network, or set ${pin.variable} to a binary of your own.`,
    );
  }
  const wheel = (await readdir(work)).find((file) => file.endsWith('.whl'));
  if (wheel === undefined)
    throw new EngineError(
      `pip fetched no wheel of ${pin.package} ${pin.version}: set ${pin.variable} to a binary of your own.`,
    );
  return join(work, wheel);
}

function firstReason(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const line =
    stderr
      ?.split('\n')
      .filter((text) => text.startsWith('ERROR'))
      .at(-1) ?? stderr?.trim().split('\n').at(-1);
  return (line || message || 'no reason given').slice(0, 200);
}

/** Copies `<name>.data/scripts/<binary>` out of a wheel, which is a ZIP file. */
async function extractScript(wheel: string, binary: string, target: string): Promise<void> {
  const zip = await yauzl.openPromise(wheel);
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith(`.data/scripts/${binary}`)) continue;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
      return;
    }
  } finally {
    zip.close();
  }
  throw new EngineError(`The wheel ${wheel} holds no ${binary}.`);
}
