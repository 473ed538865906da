import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../cli/engines/engine-lock.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import type { MachineNetwork } from './machine-network.js';
import { ProductionGuide, type Replacement } from './production-guide.js';

/** Addresses of the database, one for each of its roles in the order of the guide. */
export const ENGINES = ['DATABASE_URL', 'DATABASE_PLATFORM_URL', 'DATABASE_AUTH_URL', 'DATABASE_INGEST_URL'];

interface MachineOptions {
  readonly name: string;
  readonly isHost: boolean;
  /** Names of places that all machines share. */
  readonly places: readonly Replacement[];
  /** That of this machine, where the guide has that of machine b. */
  readonly address: string;
  /** Settings that the guide does not have. */
  readonly settings: Readonly<Record<string, string>>;
  /** Values of files of secrets that the guide describes only. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A machine that was set up by docs/guide/production.md: its files of settings and secrets, and its data directory. */
export class MachineFiles {
  readonly guide: ProductionGuide;
  /** Where systemd would put the secrets of a service. */
  readonly credentials: string;
  /** Files that only the platform may read. */
  readonly secretFiles: readonly string[];

  private constructor(
    readonly folder: string,
    options: MachineOptions,
  ) {
    const etc = join(folder, 'etc');
    this.guide = new ProductionGuide([
      ...options.places,
      [/10\.0\.0\.12(?!\d)/, options.address],
      [/\/etc\/visionops/, etc],
      [/\/root\/visionops-owner/, join(etc, 'owner')],
      [/\bREPOSITORY\b/, projectRoot()],
      [/\/opt\/visionops/, join(folder, 'opt/visionops')],
      [/\/var\/lib\/visionops/, this.dataDir],
    ]);
    this.credentials = join(folder, 'credentials');
    for (const path of [etc, join(etc, 'secrets'), this.credentials]) mkdirSync(path, { mode: 0o700 });
    // The version that runs first is the build that is tested; a machine that is set up by the guide's shell has a clone of it.
    mkdirSync(join(folder, 'opt'), { mode: 0o711 });
    symlinkSync(projectRoot(), join(folder, 'opt/visionops'));
    const lines = Object.entries(options.settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(etc, 'platform.env'), this.guide.platformSettings() + lines.join(''));
    writeFileSync(join(etc, 'machine.env'), this.guide.machineSettings(options));
    const secrets = new Map([...this.guide.secrets(), ...Object.entries(options.secrets)]);
    for (const [name, value] of secrets) {
      if (value === null) throw new Error(`nothing is known of the secret ${name}`);
      writeFileSync(join(etc, 'secrets', name), `${value}\n`, { mode: 0o600 });
      copyFileSync(join(etc, 'secrets', name), join(this.credentials, `visionops_${name}`));
    }
    this.secretFiles = [...secrets.keys()].map((name) => join(etc, 'secrets', name));
  }

  static make(options: MachineOptions): MachineFiles {
    const folder = mkdtempSync(join(tmpdir(), `visionops-machine-${options.name}-`));
    chmodSync(folder, 0o711);
    mkdirSync(join(folder, 'data'), { mode: 0o711 });
    return new MachineFiles(folder, options);
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** For the one command that changes the schema. */
  giveOwner(url: string): void {
    writeFileSync(join(this.folder, 'etc/owner'), `${url}\n`, { mode: 0o600 });
  }
}

/** What the guide calls otherwise, and what it leaves to others: names in engines that many tests share, and the pooler. */
export function machinesOf(
  network: MachineNetwork,
  env: Readonly<Record<string, string>>,
  base: string,
  over: Readonly<Record<string, string>>,
): Record<'a' | 'b' | 'c', MachineFiles> {
  const of = (name: string) => env[name] as string;
  const make = (name: 'a' | 'b' | 'c') =>
    MachineFiles.make({
      ...{ name, isHost: name !== 'a', address: network.addressOf(name) },
      places: [
        ...['app', 'platform', 'auth', 'ingest'].map(
          (role, index) =>
            [
              new RegExp(`postgresql://visionops_${role}:PASSWORD-${index + 1}@10\\.0\\.0\\.1/visionops`),
              of(ENGINES[index] as string),
            ] as const,
        ),
        [/postgresql:\/\/visionops_app:PASSWORD-1@10\.0\.0\.1:5432\/visionops/, of('DATABASE_DIRECT_URL')],
        [/admin@example\.com/, ADMIN.email],
        [/10\.0\.0\.1:7233/, of('TEMPORAL_ADDRESS')],
        [/^SERVICE_TEMPORAL_TLS=true$/m, 'SERVICE_TEMPORAL_PLAINTEXT=true'],
        [/http:\/\/10\.0\.0\.1:9000/, of('S3_ENDPOINT')],
        [/\{ 443, 9000 \}/, `{ ${new URL(base).port}, ${new URL(of('S3_ENDPOINT')).port} }`],
        [/https:\/\/visionops\.example\.com/, base],
        [/smtps:\/\/USER:PASSWORD@mail\.example\.com/, of('SMTP_URL')],
        [/10\.0\.0\.1(?!\d)/, network.gateway],
      ],
      settings: {
        ...{ TEMPORAL_NAMESPACE: of('TEMPORAL_NAMESPACE'), S3_BUCKET: of('S3_BUCKET') },
        SERVICE_VALIDATION_QUIET_MS: of('SERVICE_VALIDATION_QUIET_MS'),
        ...over,
      },
      secrets: {
        ...{ S3_ACCESS_KEY: of('S3_ACCESS_KEY'), S3_SECRET_KEY: of('S3_SECRET_KEY') },
        SERVICE_SECRET_KEYS: of('SERVICE_SECRET_KEYS'),
        SERVICE_WEBHOOK_TOKEN: of('SERVICE_WEBHOOK_TOKEN'),
        SERVICE_INIT_ADMIN_PASSWORD: ADMIN.password,
      },
    });
  return { a: make('a'), b: make('b'), c: make('c') };
}
