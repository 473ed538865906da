import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { secretNames } from '../../../core/config/settings.js';
import { fileVariable } from '../../../core/config/secret-files.js';
import { MachineNetwork } from '../../many-machines/support/machine-network.js';
import { testEnvironment } from '../../setup/engines.js';
import { freePort } from '../../setup/free-port.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import { Container, type Ended, ownFolder, USER, type Volume } from './container.js';
import { ContainerTools } from './container-tools.js';
import { type Lent, MachineRegistries } from './machine-registries.js';
import { buildPlatformImage, type PlatformImage } from './platform-image.js';
import { WayOut } from './way-out.js';

const API_PORT = 8080;
const OPS_PORT = 9090;
const SECRETS = '/run/secrets';
const ROLES = ['DATABASE_URL', 'DATABASE_PLATFORM_URL', 'DATABASE_AUTH_URL', 'DATABASE_INGEST_URL'];
const ADDRESSES = [...ROLES, 'DATABASE_OWNER_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT'];
/** What the image chooses itself, or what belongs to tests that run on the machine. */
const NOT_FOR_CONTAINERS = ['NODE_ENV', 'SERVICE_DATA_DIR', 'SERVICE_PORT', 'SERVICE_OPS_PORT'];

type Role = 'api' | 'worker';

/** An installation of two containers of the image on one network; the engines are outside, the database is empty at first. */
export class ContainerInstallation {
  private readonly containers = new Map<string, Container>();
  private commands = 0;

  private constructor(
    private readonly tools: ContainerTools,
    readonly image: PlatformImage,
    private readonly registries: MachineRegistries,
    private readonly network: MachineNetwork,
    private readonly wayOut: WayOut,
    private readonly made: Awaited<ReturnType<typeof testEnvironment>>,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async prepare(): Promise<ContainerInstallation> {
    const tools = await ContainerTools.open();
    try {
      const registries = new MachineRegistries(join(tools.folder, 'registries'));
      const image = await buildPlatformImage(tools, registries);
      return await ContainerInstallation.around(tools, registries, image);
    } catch (error) {
      tools.close();
      throw error;
    }
  }

  private static async around(
    tools: ContainerTools,
    registries: MachineRegistries,
    image: PlatformImage,
  ): Promise<ContainerInstallation> {
    const made = await testEnvironment('template1');
    const network = MachineNetwork.open(['api', 'worker', 'command']);
    const wayOut = await WayOut.open(network.gateway, await freePort());
    const base = `http://${network.addressOf('api')}:${API_PORT}`;
    const settings: Record<string, string> = {
      ...made.env,
      DATABASE_OWNER_URL: made.database.ownerUrl,
      SERVICE_BASE_URL: base,
      SERVICE_TEMPORAL_PLAINTEXT: 'true',
      SERVICE_INIT_ADMIN_EMAIL: ADMIN.email,
      SERVICE_INIT_ADMIN_PASSWORD: ADMIN.password,
      // Nobody answers there: no mail of this installation is read.
      SMTP_URL: `smtp://mailer:mailer-of-the-tests@${network.gateway}:25?requireTLS=false`,
    };
    for (const name of NOT_FOR_CONTAINERS) delete settings[name];
    for (const name of ADDRESSES)
      settings[name] = (settings[name] as string).replace('127.0.0.1', network.gateway);
    const ports = ADDRESSES.map((name) => Number(/:(\d+)(?:\/|$)/.exec(settings[name] as string)?.[1]));
    for (const port of new Set(ports)) await network.forward(port);
    return new ContainerInstallation(tools, image, registries, network, wayOut, made, settings);
  }

  get base(): string {
    return this.settings.SERVICE_BASE_URL as string;
  }

  get ownerUrl(): string {
    return this.made.database.ownerUrl;
  }

  /** Every value that nobody may read but the platform. */
  get secrets(): string[] {
    return secretNames().flatMap((name) => this.settings[name] ?? []);
  }

  begin(role: Role): void {
    const known = this.containers.get(role) ?? this.make(role);
    this.containers.set(role, known);
    known.start();
  }

  async kill(role: Role): Promise<void> {
    await this.containers.get(role)?.kill();
  }

  /** Until its ops port says that it serves. */
  async ready(role: Role): Promise<void> {
    const url = `http://${this.network.addressOf(role)}:${OPS_PORT}/readyz`;
    const isReady = () =>
      fetch(url, { signal: AbortSignal.timeout(3000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    for (let left = 240; left > 0; left -= 1, await sleep(250)) if (await isReady()) return;
    throw new Error(`${role} did not come up:\n${this.containers.get(role)?.said.slice(-4000)}`);
  }

  /** One command in a container of its own, which is gone afterwards; `volumes` are its beside an empty `/data`. */
  async command(args: readonly string[], input = '', volumes: readonly Volume[] = []): Promise<Ended> {
    this.commands += 1;
    const name = `command-${this.commands}`;
    const container = new Container(this.tools, this.image, {
      ...{ name, args, network: this.network.namespaceOf('command') },
      ...this.given([
        ...ROLES,
        'DATABASE_OWNER_URL',
        'S3_ACCESS_KEY',
        'S3_SECRET_KEY',
        'SERVICE_SECRET_KEYS',
      ]),
      volumes: [this.volume(name, '/data'), ...volumes],
    });
    this.containers.set(name, container);
    container.start(input);
    return container.ended();
  }

  /** A folder of this machine for a container of the image's user. */
  volume(name: string, to: string): Volume {
    return { from: ownFolder(join(this.tools.folder, 'volumes', name), 0o711), to };
  }

  /** What every process of a container shows of itself to its user: environment and command line. */
  shown(role: Role): string[] {
    return this.network
      .pidsOn(role)
      .flatMap((pid) => ['environ', 'cmdline'].map((file) => textOf(`/proc/${pid}/${file}`)));
  }

  /** Users that the processes of a container have on this machine. */
  usersOf(role: Role): string[] {
    const found = this.network
      .pidsOn(role)
      .flatMap((pid) => /^Uid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? []);
    return [...new Set(found)];
  }

  async close(): Promise<void> {
    for (const container of this.containers.values()) await container.kill();
    this.wayOut.close();
    this.network.close();
    await this.made.remove();
    this.tools.close();
  }

  private make(role: Role): Container {
    const given = this.given(secretNames().filter((name) => name !== 'DATABASE_OWNER_URL'));
    return new Container(this.tools, this.image, {
      ...{ name: role, args: [role], network: this.network.namespaceOf(role) },
      env: { ...given.env, SERVICE_WORKLOAD_ADDRESS: this.network.addressOf(role) },
      lent: [...given.lent, ...(role === 'worker' ? this.registries.forWorker(this.wayOut.url) : [])],
      volumes: [this.volume(role, '/data')],
    });
  }

  /** The settings, of the secrets among them only those that are named, each as a file. */
  private given(names: readonly string[]): { env: Record<string, string>; lent: Lent[] } {
    const env = { ...this.settings };
    const folder = ownFolder(mkdtempSync(join(this.tools.folder, 'secrets-')), 0o700);
    for (const name of secretNames()) {
      const value = env[name];
      delete env[name];
      if (value === undefined || !names.includes(name)) continue;
      const file = name.toLowerCase();
      writeFileSync(join(folder, file), `${value}\n`, { mode: 0o400 });
      chownSync(join(folder, file), USER, USER);
      env[fileVariable(name)] = `${SECRETS}/${file}`;
    }
    return { env, lent: [{ from: folder, to: SECRETS }] };
  }
}

/** '' of a process that has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
