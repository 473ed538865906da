import { z } from 'zod';
import { outboundProblem } from '../security/outbound-url.js';
import { parseKeyRing } from '../security/key-ring.js';
import { databaseAddresses, databasePools, OWNER_ADDRESS } from './database-settings.js';
import { readSecretFiles } from './secret-files.js';
import { bool, doc, int, type SettingDoc, url, webUrl } from './setting.js';
import { storeProblems, storeSettings } from './store-settings.js';
import { temporalProblems, temporalWorkerSettings } from './temporal-settings.js';
import { trustedProxiesProblem } from './trusted-proxies.js';
import { workerSettings } from './worker-settings.js';

/**
 * The settings of every process, read once at boot. One schema makes the parser, the types and the table in the docs
 * (`docs/reference/settings.md`, generated from `describeSettings`). Fields marked `secret` never reach a log.
 */
export const settingsSchema = z.object({
  NODE_ENV: doc(z.enum(['production', 'development', 'test']).default('development'), {
    text: 'production provisions nothing and refuses missing settings',
  }),
  ...databaseAddresses,
  TEMPORAL_ADDRESS: doc(z.string().regex(/^[^\s/]+:\d+$/, 'must be host:port'), {
    text: 'Temporal frontend',
    requiredInProduction: true,
  }),
  TEMPORAL_NAMESPACE: doc(z.string().min(1).default('visionops'), { text: 'Temporal namespace' }),
  SERVICE_TEMPORAL_TLS: doc(bool.optional(), {
    text: 'speak TLS to Temporal; without it true as soon as one of the next five is set',
  }),
  SERVICE_TEMPORAL_TLS_CA: doc(z.string().min(1).optional(), {
    text: "PEM file of the authorities that may sign Temporal's certificate; without it those of the system",
  }),
  SERVICE_TEMPORAL_TLS_CERT: doc(z.string().min(1).optional(), {
    text: 'PEM file of the certificate to sign in to Temporal with; together with SERVICE_TEMPORAL_TLS_KEY',
  }),
  SERVICE_TEMPORAL_TLS_KEY: doc(z.string().min(1).optional(), { text: 'PEM file of its private key' }),
  SERVICE_TEMPORAL_TLS_SERVER_NAME: doc(z.string().min(1).optional(), {
    text: "name in Temporal's certificate, where it is not that of TEMPORAL_ADDRESS",
  }),
  SERVICE_TEMPORAL_API_KEY: doc(z.string().min(1).optional(), {
    text: 'API key to sign in to Temporal with',
    secret: true,
  }),
  ...temporalWorkerSettings,
  TEMPORAL_UI_URL: doc(webUrl.optional(), {
    text: "address of Temporal's own pages, linked from the start page and, for those who operate the platform, from the console's pages of long work",
  }),
  S3_ENDPOINT: doc(url, { text: 'object store', requiredInProduction: true }),
  S3_REGION: doc(z.string().default('us-east-1'), { text: 'object store region' }),
  S3_BUCKET: doc(z.string().min(3).max(63).default('visionops'), { text: 'bucket that holds every object' }),
  ...storeSettings,
  SMTP_URL: doc(url.optional(), {
    text: 'outgoing mail; without it one file per mail in DATA_DIR/mail',
    secret: true,
    requiredInProduction: true,
  }),
  SERVICE_MAIL_FROM: doc(z.string().default('VisionOps <no-reply@localhost>'), {
    text: 'sender of outgoing mail',
  }),
  SERVICE_BASE_URL: doc(webUrl, {
    text: 'address people use; https makes cookies Secure; its host is the Host and Origin allow-list (Host may be a loopback name too)',
    requiredInProduction: true,
  }),
  SERVICE_INTERNAL_URL: doc(webUrl.optional(), {
    text: 'address of the API for the training programs of this installation, where it is not the one that people use; npm start names its own; without it SERVICE_BASE_URL',
  }),
  SERVICE_HOST: doc(z.string().default('127.0.0.1'), { text: 'address the API listens on' }),
  SERVICE_PORT: doc(int(0, 65535).default(8080), { text: 'port the API listens on' }),
  SERVICE_OPS_HOST: doc(z.string().default('127.0.0.1'), {
    text: 'address that /metrics and the probes of the process listen on; nobody signs in there, so open it to the network of your monitoring alone',
  }),
  SERVICE_OPS_PORT: doc(int(0, 65535).default(0), {
    text: 'port of /metrics and the health probes of the process',
  }),
  SERVICE_DRAIN_WAIT_S: doc(int(0, 60).optional(), {
    text: 'seconds that a stopping API still serves while /readyz answers 503, so that a load balancer sends new requests elsewhere first; without it 5 in production and 0 otherwise',
  }),
  SERVICE_SECRET_KEYS: doc(
    z.string().transform((text, context) => {
      try {
        return parseKeyRing(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    }),
    {
      text: 'list id:base64 of at least 32 bytes each, newest first',
      secret: true,
      requiredInProduction: true,
    },
  ),
  SERVICE_AUTH_TOKEN_LIFETIME: doc(int(0, 315_360_000).default(0), {
    text: 'session lifetime in seconds; 0 never expires (an account keeps the 200 sign-ins that were used last)',
  }),
  SERVICE_WEBHOOK_TOKEN: doc(z.string().min(16).optional(), {
    text: 'token the alert manager sends',
    secret: true,
  }),
  SERVICE_WEBHOOK_OPEN: doc(bool.default(false), {
    text: 'true lets the alert webhook come without a token',
  }),
  SERVICE_TRUST_PROXY: doc(
    z
      .string()
      .default('none')
      .superRefine((text, context) => {
        const problem = trustedProxiesProblem(text);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      }),
    {
      text: 'proxies whose X-Forwarded-For is believed: addresses and networks (10.0.0.0/8), parted by commas, or loopback, linklocal, uniquelocal; with loopback every program of this machine may name any address, trainings and served models included',
    },
  ),
  SERVICE_REGISTRATION: doc(z.enum(['open', 'invite', 'closed']).default('open'), {
    text: 'who may register: everybody (open), addresses with an invitation (invite), nobody (closed)',
  }),
  SERVICE_INIT_ADMIN_EMAIL: doc(z.email().optional(), {
    text: 'global administrator created at first start',
  }),
  SERVICE_INIT_ADMIN_PASSWORD: doc(z.string().min(8).max(128).optional(), {
    text: 'its password; never overwrites',
    secret: true,
  }),
  SERVICE_INIT_TENANT_CODE: doc(
    z
      .string()
      .regex(
        /^(?!(shared|system|library|platform)$)[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/,
        'must be 1 to 40 characters of a-z, 0-9 and -, and none of the reserved codes',
      )
      .optional(),
    { text: 'tenant created at first start' },
  ),
  SERVICE_OUTBOUND_ALLOW: doc(
    z
      .string()
      .default('')
      .superRefine((text, context) => {
        const problem = outboundProblem(text);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      }),
    {
      text: 'networks (10.0.0.0/8), addresses and host names (data.example.org, *.example.org) that external sources may be called at beside the public internet; `data.intern:8443` opens that port alone, an entry without one opens every port of it',
    },
  ),
  SERVICE_OUTBOUND_CA: doc(z.string().min(1).optional(), {
    text: 'PEM file of authorities that may sign the certificates of external sources, beside the usual ones',
  }),
  SERVICE_DATA_DIR: doc(z.string().default('.data'), {
    text: 'mail files, workloads and logs of this machine',
  }),
  SERVICE_LOG_LEVEL: doc(z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'), {
    text: 'least level that is logged',
  }),
  SERVICE_LOG_FILE: doc(z.string().optional(), { text: 'log file; without it standard output' }),
  ...workerSettings,
  SERVICE_SYNC_PARALLEL: doc(int(1, 64).default(8), { text: 'files that one dataset sync copies at once' }),
  SERVICE_SYNC_PATIENCE_S: doc(int(0, 86_400).default(300), {
    text: 'seconds a dataset sync waits for a source that is away before it fails',
  }),
  SERVICE_VALIDATION_QUIET_MS: doc(int(0, 3000).default(3000), {
    text: 'milliseconds without a change of its files after which a dataset is validated',
  }),
  SERVICE_STREAMS_PER_USER: doc(int(1, 10_000).default(20), {
    text: 'event streams one user may hold, over all API processes',
  }),
  SERVICE_STREAMS_PER_TENANT: doc(int(1, 100_000).default(500), {
    text: 'event streams one tenant may hold, over all API processes',
  }),
  ...databasePools,
  SERVICE_DISPATCH_BACKLOG: doc(int(1, 10_000_000).default(10_000), {
    text: 'pieces of work that may wait to be started; beyond it new ones (trainings, syncs, endpoints, builds, uploads) get 503 with Retry-After',
  }),
});

export type Settings = z.infer<typeof settingsSchema>;
type Environment = Readonly<Record<string, string | undefined>>;

const withoutEnd = (url: string): string => url.replace(/\/+$/, '');

/** The platform as people and devices reach it, without a slash at its end. */
export const baseUrl = (settings: Pick<Settings, 'SERVICE_BASE_URL'>): string =>
  withoutEnd(settings.SERVICE_BASE_URL);

/** The API as programs of this installation reach it, without a slash at its end. */
export const internalUrl = (settings: Pick<Settings, 'SERVICE_INTERNAL_URL' | 'SERVICE_BASE_URL'>): string =>
  withoutEnd(settings.SERVICE_INTERNAL_URL ?? settings.SERVICE_BASE_URL);

/** In production somebody balances; on a developer's machine a stop that takes seconds helps nobody. */
export const drainWaitS = (given: {
  readonly NODE_ENV?: string;
  readonly SERVICE_DRAIN_WAIT_S?: number | string;
}): number =>
  given.SERVICE_DRAIN_WAIT_S === undefined || given.SERVICE_DRAIN_WAIT_S === ''
    ? given.NODE_ENV === 'production'
      ? 5
      : 0
    : Number(given.SERVICE_DRAIN_WAIT_S);

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(`Settings cannot be used:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
  }
}

const isRequiredInProduction = (name: string): boolean =>
  (
    settingsSchema.shape[name as keyof typeof settingsSchema.shape].meta() as unknown as
      | SettingDoc
      | undefined
  )?.requiredInProduction === true;

/** Settings that the description allows and this version does not support. They would be ignored otherwise. */
export const unsupportedSettings = (env: Environment): string[] =>
  env.SERVICE_ORCHESTRATOR === 'kubernetes'
    ? [
        'SERVICE_ORCHESTRATOR: this version has no adapter for kubernetes, workloads run as processes: remove the variable or set it to process',
      ]
    : [];

/** What may be given as `<NAME>_FILE`, and is taken out of the environment of a serving process. */
export const secretNames = (): string[] => [
  ...describeSettings().flatMap(({ name, secret }) => (secret ? [name] : [])),
  OWNER_ADDRESS,
];

/**
 * The environment with the secrets that are given as files.
 * @throws SettingsError naming every variable whose file cannot be used
 */
export function withSecretFiles(env: Environment): Record<string, string | undefined> {
  const opened = readSecretFiles(env, secretNames());
  if (opened.problems.length > 0) throw new SettingsError(opened.problems);
  return opened.env;
}

/** Parses the settings of this process, and takes their secrets out of what its children inherit. */
export function takeSettings(env: Record<string, string | undefined>): Settings {
  const settings = parseSettings(env);
  for (const name of secretNames()) delete env[name];
  return settings;
}

/** @throws SettingsError naming every bad or missing variable at once, values never repeated */
export function parseSettings(env: Environment): Settings {
  const given = Object.fromEntries(
    Object.entries(withSecretFiles(env)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = settingsSchema.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(
        (issue) =>
          `${issue.path.join('.')}: ${given[String(issue.path[0])] === undefined ? 'is missing' : issue.message}`,
      );
  problems.push(...unsupportedSettings(given), ...temporalProblems(given), ...storeProblems(given));
  if (given.NODE_ENV === 'production') {
    for (const name of Object.keys(settingsSchema.shape)) {
      if (
        isRequiredInProduction(name) &&
        given[name] === undefined &&
        !problems.some((line) => line.startsWith(`${name}:`))
      )
        problems.push(`${name}: is missing (required in production)`);
    }
    if (given.SERVICE_WEBHOOK_TOKEN === undefined && given.SERVICE_WEBHOOK_OPEN !== 'true')
      problems.push('SERVICE_WEBHOOK_TOKEN: is missing (or set SERVICE_WEBHOOK_OPEN=true)');
  }
  if (!parsed.success || problems.length > 0) throw new SettingsError(problems);
  return parsed.data;
}

/** Rows of the settings table in the docs. */
export function describeSettings(): ReadonlyArray<{
  name: string;
  text: string;
  secret: boolean;
  required: boolean;
}> {
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const meta = (schema.meta() as unknown as SettingDoc | undefined) ?? { text: '' };
    return {
      name,
      text: meta.text,
      secret: meta.secret === true,
      required: meta.requiredInProduction === true,
    };
  });
}
