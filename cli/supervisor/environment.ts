import { DATABASE_NAME, ownerUrl } from '../engines/postgres.js';
import { NAMESPACE } from '../engines/temporal.js';
import { baseEnvironment } from '../engines/launch.js';
import { dataFiles } from './files.js';
import type { Provisioning } from './dependencies.js';
import type { Secrets } from './secrets.js';

/** Ports of what is provisioned, by name. */
export interface EnginePorts {
  readonly postgres?: number;
  readonly temporal?: number;
  readonly temporalUi?: number;
  readonly s3?: number;
}

export interface EnvironmentInput {
  readonly dataDir: string;
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly provisioning: Provisioning;
  /** Null in production, where every secret is given. */
  readonly secrets: Secrets | null;
  readonly ports: EnginePorts;
  readonly apiPort: number;
}

export const DEFAULT_ADMIN_EMAIL = 'admin@visionops.local';
export const DEFAULT_PORT = 8080;
export const DEFAULT_TENANT = 'demo';

/** Names that a child gets from the caller's environment. */
const PASSED =
  /^(SERVICE_|S3_|AWS_|TEMPORAL_|DATABASE_|SMTP_|KUBE|PROMETHEUS_|ALERTMANAGER_|NODE_EXTRA_CA_CERTS$|NODE_ENV$|NODE_OPTIONS$|https?_proxy$|no_proxy$|HTTPS?_PROXY$|NO_PROXY$|XDG_CACHE_HOME$|PIP_)/;

/** Pure: the settings that API and worker share. What the caller's environment names wins over what is made here. */
export function sharedEnvironment(input: EnvironmentInput): Record<string, string> {
  const passed = Object.fromEntries(
    Object.entries(input.given).filter(
      (entry): entry is [string, string] =>
        PASSED.test(entry[0]) && entry[1] !== undefined && entry[1] !== '',
    ),
  );
  // The owner migrates and never serves: no serving process knows its password.
  delete passed.DATABASE_OWNER_URL;
  return {
    ...baseEnvironment(),
    SERVICE_DATA_DIR: input.dataDir,
    ...addresses(input.apiPort),
    ...made(input),
    ...passed,
  };
}

/** People may use another one, with a proxy in front; the programs of this machine use the API itself. */
const addresses = (apiPort: number) => ({
  SERVICE_BASE_URL: `http://127.0.0.1:${apiPort}`,
  SERVICE_INTERNAL_URL: `http://127.0.0.1:${apiPort}`,
});

function made({ provisioning, secrets, ports }: EnvironmentInput): Record<string, string> {
  if (secrets === null) return {};
  const login = (role: 'app' | 'platform' | 'auth' | 'ingest') =>
    `postgresql://visionops_${role}:${secrets.database[role]}@127.0.0.1:${ports.postgres}/${DATABASE_NAME}`;
  return {
    SERVICE_SECRET_KEYS: secrets.secretKeys,
    SERVICE_WEBHOOK_TOKEN: secrets.webhookToken,
    ...(provisioning.database
      ? {
          DATABASE_URL: login('app'),
          DATABASE_PLATFORM_URL: login('platform'),
          DATABASE_AUTH_URL: login('auth'),
          DATABASE_INGEST_URL: login('ingest'),
        }
      : {}),
    ...(provisioning.temporal
      ? { TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`, TEMPORAL_NAMESPACE: NAMESPACE }
      : {}),
    ...(provisioning.temporal && ports.temporalUi !== undefined
      ? { TEMPORAL_UI_URL: `http://127.0.0.1:${ports.temporalUi}` }
      : {}),
    ...(provisioning.s3
      ? {
          S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
          S3_ACCESS_KEY: secrets.s3.accessKey,
          S3_SECRET_KEY: secrets.s3.secretKey,
        }
      : {}),
  };
}

/** The API's own settings on top of the shared ones. */
export function apiEnvironment(
  shared: Readonly<Record<string, string>>,
  options: { dataDir: string; port: number; opsPort: number; init: Readonly<Record<string, string>> },
): Record<string, string> {
  return {
    SERVICE_LOG_FILE: `${dataFiles(options.dataDir).logs}/api.log`,
    ...shared,
    ...options.init,
    SERVICE_PORT: String(options.port),
    SERVICE_OPS_PORT: String(options.opsPort),
  };
}

/** The worker knows nothing of the first administrator. */
export function workerEnvironment(
  shared: Readonly<Record<string, string>>,
  options: { dataDir: string; opsPort: number },
): Record<string, string> {
  const rest = Object.fromEntries(
    Object.entries(shared).filter(([name]) => !name.startsWith('SERVICE_INIT_')),
  );
  return {
    SERVICE_LOG_FILE: `${dataFiles(options.dataDir).logs}/worker.log`,
    ...rest,
    SERVICE_OPS_PORT: String(options.opsPort),
  };
}

/** Where migrations are run; null when nothing here may migrate. */
export function migrationUrl(input: EnvironmentInput): string | null {
  if (input.provisioning.database && input.secrets !== null)
    return ownerUrl(input.ports.postgres as number, input.secrets.database.owner);
  return input.given.DATABASE_OWNER_URL || null;
}
