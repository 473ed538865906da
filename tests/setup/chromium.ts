import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { has, lastLine, unpackNewest } from '../../cli/engines/debian-packages.js';
import { cacheDir, platformKey } from '../../cli/engines/engine-lock.js';

const run = promisify(execFile);

/** Names under which people install it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A Chromium that answers, with what its process needs beside the environment of this one. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One that is installed (`CHROMIUM` names it, or it is on PATH), else Debian's, unpacked into the cache. @throws Error with the reason why there is none */
export async function findChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM;
  if (named !== undefined) return checked({ executablePath: named, env: {} });
  for (const name of NAMES) {
    const path = await onPath(name);
    if (path !== null && (await answers({ executablePath: path, env: {} })) === null)
      return { executablePath: path, env: {} };
  }
  return debians();
}

/** Why there is no Chromium here, or null. */
export const chromiumProblem = (): Promise<string | null> =>
  findChromium().then(
    () => null,
    (error: Error) => error.message,
  );

/** What Debian's package needs of this machine may change with the machine, so it is unpacked anew when it no longer answers. */
async function debians(): Promise<Chromium> {
  const root = join(cacheDir(), 'engines/chromium-debian');
  if (existsSync(root) && (await answers(unpackedIn(root))) === null) return unpackedIn(root);
  if (platformKey() !== 'linux-x64' || !(await has('apt-get')) || !(await has('dpkg-deb')))
    throw new Error('no Chromium is installed, and Debian’s is fetched on Debian for x86-64 only');
  try {
    await unpackNewest(root, 'chromium');
  } catch (error) {
    throw new Error(`no Chromium is installed, and Debian’s cannot be fetched: ${lastLine(error)}`);
  }
  return checked(unpackedIn(root));
}

/** From Debian's packages; one of them finds its own in a folder below by a path that holds once it is installed. */
const LIBRARIES = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu/pulseaudio'];

function unpackedIn(root: string): Chromium {
  const libraries = LIBRARIES.map((folder) => join(root, folder));
  return {
    executablePath: join(root, 'usr/lib/chromium/chromium'),
    env: {
      LD_LIBRARY_PATH: libraries.join(':'),
      // The configuration names folders of fonts as they lie once it is installed.
      ...(existsSync(join(root, 'etc/fonts/fonts.conf')) ? { FONTCONFIG_SYSROOT: root } : {}),
    },
  };
}

async function checked(chromium: Chromium): Promise<Chromium> {
  const reason = await answers(chromium);
  if (reason !== null) throw new Error(`${chromium.executablePath} does not run: ${reason}`);
  return chromium;
}

const onPath = (name: string): Promise<string | null> =>
  run('which', [name]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );

/** Null when it says its version, else what it says instead. */
const answers = ({ executablePath, env }: Chromium): Promise<string | null> =>
  run(executablePath, ['--version'], { env: { ...process.env, ...env }, timeout: 30_000 }).then(
    () => null,
    lastLine,
  );
