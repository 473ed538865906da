import { execFileSync } from 'node:child_process';

const MOUNTS = 'mount -t proc proc /proc && mount -t overlay overlay -o lowerdir=/usr/share:/usr/lib /mnt';
/** What a container is made of: namespaces of its own, and mounts in them. */
const PROBE = ['--mount', '--pid', '--ipc', '--uts', '--fork', 'sh', '-c', MOUNTS];

/** Why no image can be built and run here; null when it can. */
export function containerProblem(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return 'images are built and run on Linux on x86-64';
  if (process.getuid?.() !== 0) return 'images are built and run as root';
  for (const [command, args] of [['unshare', PROBE] as const, ['wget', ['--version']] as const])
    try {
      execFileSync(command, args, { stdio: 'pipe' });
    } catch (error) {
      return `this machine runs no containers: ${(error as Error).message.trim().split('\n').at(-1)}`;
    }
  return null;
}
