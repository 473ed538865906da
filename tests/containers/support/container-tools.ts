import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePackages, unpack } from '../../../cli/engines/debian-packages.js';

const exec = promisify(execFile);

/** An image build takes minutes. */
const WITHIN_MS = 1_800_000;

/** buildah, runc and debootstrap, unpacked into a folder of their own: nothing is installed, no daemon runs. */
export class ContainerTools {
  private constructor(
    /** For everything that is to be gone afterwards, the images among it. */
    readonly folder: string,
  ) {}

  /** npm knows by its variables whom it may trust. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, TMPDIR: this.folder };
  }

  static async open(): Promise<ContainerTools> {
    const found = await ensurePackages('buildah');
    if (found.files === null) throw new Error(found.reason);
    const folder = mkdtempSync(join(tmpdir(), 'visionops-containers-'));
    const root = join(folder, 'tools');
    mkdirSync(root);
    await unpack(found.files, root);
    // Images come from this folder alone: none is pulled, so none needs a signature.
    writeFileSync(join(folder, 'policy.json'), '{"default":[{"type":"insecureAcceptAnything"}]}');
    writeFileSync(join(folder, 'registries.conf'), '');
    // On systems of today /lib is a part of /usr, but packages of Debian 12 may say otherwise.
    if (existsSync(join(root, 'lib')))
      cpSync(join(root, 'lib'), join(root, 'usr/lib'), { recursive: true, verbatimSymlinks: true });
    return new ContainerTools(folder);
  }

  /**
   * The command line that runs another as if the tools were installed: in a mount namespace with their files laid over /usr.
   * LD_LIBRARY_PATH would not do, since buildah calls itself without it.
   */
  command(command: string, ...args: string[]): [string, string[]] {
    const script = 'mount -t overlay overlay -o "lowerdir=$0:/usr" /usr && exec "$@"';
    return ['unshare', ['--mount', 'sh', '-c', script, join(this.folder, 'tools/usr'), command, ...args]];
  }

  /** @throws Error with the last lines that the command has said */
  async run(command: string, ...args: string[]): Promise<string> {
    try {
      const options = { env: this.env, cwd: '/', timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
      return (await exec(...this.command(command, ...args), options)).stdout.trim();
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
      throw new Error(`${command} ${args[0]}: ${said || message}`);
    }
  }

  buildah(command: string, ...args: string[]): Promise<string> {
    return this.run(
      'buildah',
      ...this.storage,
      ...['--registries-conf', join(this.folder, 'registries.conf'), command],
      ...(SIGNED.has(command) ? ['--signature-policy', join(this.folder, 'policy.json')] : []),
      ...args,
    );
  }

  /** Copies the files of a container of buildah into a folder. */
  async copyOut(container: string, folder: string): Promise<void> {
    const script = 'from="$(buildah "$@")" && cp -a "$from/." "$0"';
    await this.run('sh', '-c', script, folder, ...this.storage, 'mount', container);
  }

  private get storage(): string[] {
    const at = (name: string) => join(this.folder, name);
    return ['--root', at('storage'), '--runroot', at('storage-run'), '--storage-driver', 'overlay'];
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 });
  }
}

/** The commands that ask for a policy of signatures. */
const SIGNED = new Set(['from', 'commit', 'bud']);
