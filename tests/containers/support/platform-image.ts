import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../cli/engines/engine-lock.js';
import { ensureBase } from './base-image.js';
import type { ContainerTools } from './container-tools.js';
import type { MachineRegistries } from './machine-registries.js';

const BASE = 'localhost/visionops-base';
const NAME = 'localhost/visionops';

/** What the image says of the containers that are made of it. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
}

export interface PlatformImage {
  /** Folder of its files. Containers share them and write none. */
  readonly rootfs: string;
  readonly config: ImageConfig;
  readonly sizeBytes: number;
}

/** Builds docker/Dockerfile on a base of this machine's own making. */
export async function buildPlatformImage(
  tools: ContainerTools,
  registries: MachineRegistries,
): Promise<PlatformImage> {
  const base = await tools.buildah('from', 'scratch');
  await tools.buildah('add', base, await ensureBase(tools, registries), '/');
  await tools.buildah('commit', base, BASE);
  await tools.buildah('rm', base);
  const lent = registries.forBuild().flatMap(({ from, to }) => ['--volume', `${from}:${to}:ro`]);
  const cache = registries.npmCache();
  await tools.buildah(
    'bud',
    ...['--isolation', 'chroot', '--build-arg', `BASE=${BASE}`, ...lent],
    ...['--volume', `${cache.from}:${cache.to}`],
    ...['--file', join(projectRoot(), 'docker/Dockerfile'), '--tag', NAME, projectRoot()],
  );
  const { OCIv1 } = JSON.parse(await tools.buildah('inspect', '--type', 'image', NAME)) as {
    OCIv1: { config: ImageConfig };
  };
  const container = await tools.buildah('from', NAME);
  const rootfs = join(tools.folder, 'rootfs');
  mkdirSync(rootfs);
  await tools.copyOut(container, rootfs);
  const sizeBytes = Number((await tools.run('du', '-sb', rootfs)).split('\t')[0]);
  return { rootfs, config: OCIv1.config, sizeBytes };
}
