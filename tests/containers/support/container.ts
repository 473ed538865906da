import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerTools } from './container-tools.js';
import type { Lent } from './machine-registries.js';
import type { PlatformImage } from './platform-image.js';

/** A file or folder that a container has of its own, and may write to. */
export type Volume = Lent;

export interface ContainerPlan {
  /** Unique; its host name too. */
  readonly name: string;
  /** After the entrypoint of the image. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** File of its network namespace. */
  readonly network: string;
  readonly lent: readonly Lent[];
  readonly volumes: readonly Volume[];
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A container of the image under runc: its user, a root that nobody writes to, namespaces of its own. It can be started again. */
export class Container {
  private child: ChildProcess | null = null;
  private readonly bundle: string;

  constructor(
    private readonly tools: ContainerTools,
    image: PlatformImage,
    private readonly plan: ContainerPlan,
  ) {
    this.bundle = join(tools.folder, 'bundles', plan.name);
    mkdirSync(this.bundle, { recursive: true });
    writeFileSync(join(this.bundle, 'config.json'), JSON.stringify(specOf(image, plan)));
  }

  start(input = ''): void {
    const log = openSync(this.logFile, 'a');
    const [command, args] = this.tools.command(
      'runc',
      ...this.root,
      'run',
      '--bundle',
      this.bundle,
      this.plan.name,
    );
    this.child = spawn(command, args, { env: this.tools.env, stdio: ['pipe', log, log] });
    closeSync(log);
    this.child.stdin?.on('error', () => undefined).end(input);
  }

  /** Until it ends by itself. */
  async ended(): Promise<Ended> {
    if (this.child === null) throw new Error(`${this.plan.name} was not started`);
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, output: this.said };
  }

  /** Every process of it ends at once. */
  async kill(): Promise<void> {
    if (this.child === null || this.child.exitCode !== null) return;
    await this.tools.run('runc', ...this.root, 'kill', this.plan.name, 'KILL').catch(() => undefined);
    await this.ended();
  }

  get said(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  private get root(): string[] {
    return ['--root', join(this.tools.folder, 'runc')];
  }

  private get logFile(): string {
    return join(this.bundle, 'log');
  }
}

/** A folder of the image's user. */
export function ownFolder(path: string, mode: number): string {
  mkdirSync(path, { recursive: true, mode });
  chownSync(path, USER, USER);
  return path;
}

/** As docker/Dockerfile makes it; a test compares. */
export const USER = 10_001;

function specOf({ rootfs, config }: PlatformImage, plan: ContainerPlan) {
  const [uid, gid] = config.User.split(':').map(Number);
  const env = Object.entries(plan.env).map(([name, value]) => `${name}=${value}`);
  const bind = ({ from, to }: Lent, ...more: string[]) => ({
    ...{ destination: to, source: from, type: 'bind' },
    options: ['rbind', 'nosuid', 'nodev', ...more],
  });
  return {
    ociVersion: '1.0.2',
    hostname: plan.name,
    process: {
      ...{ terminal: false, noNewPrivileges: true, cwd: config.WorkingDir, user: { uid, gid } },
      args: [...config.Entrypoint, ...plan.args],
      env: [...config.Env, ...env],
      capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      ...SYSTEM_MOUNTS,
      ...plan.volumes.map((volume) => bind(volume, 'rw')),
      ...plan.lent.map((lent) => bind(lent, 'ro')),
    ],
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        { type: 'network', path: plan.network },
      ],
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware'],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}

const mount = (destination: string, type: string, ...options: string[]) => ({
  ...{ destination, type, source: type },
  options: ['nosuid', ...options],
});

/** As container engines give them to every container. */
const SYSTEM_MOUNTS = [
  mount('/proc', 'proc', 'noexec', 'nodev'),
  mount('/dev', 'tmpfs', 'strictatime', 'mode=755', 'size=65536k'),
  mount('/dev/pts', 'devpts', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'),
  mount('/dev/shm', 'tmpfs', 'noexec', 'nodev', 'mode=1777', 'size=65536k'),
  mount('/dev/mqueue', 'mqueue', 'noexec', 'nodev'),
  mount('/sys', 'sysfs', 'noexec', 'nodev', 'ro'),
  mount('/tmp', 'tmpfs', 'nodev', 'mode=1777'),
];
