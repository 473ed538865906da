import { SettingsError } from '../../core/config/settings.js';

/** What each dependency is named by. All variables of one are given, or none: then it is provisioned here. */
const VARIABLES = {
  database: [
    'DATABASE_URL',
    'DATABASE_PLATFORM_URL',
    'DATABASE_AUTH_URL',
    'DATABASE_INGEST_URL',
    'DATABASE_OWNER_URL',
  ],
  temporal: ['TEMPORAL_ADDRESS'],
  s3: ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
} as const;

export type Dependency = keyof typeof VARIABLES;

/** Which dependencies are provisioned on this machine; the others are named by their variables. */
export type Provisioning = Readonly<Record<Dependency, boolean>>;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Pure. In production nothing is provisioned, whatever is missing: the settings then name it.
 * @throws SettingsError naming every variable that is missing beside others of its dependency
 */
export function decideProvisioning(env: Env): Provisioning {
  if (env.NODE_ENV === 'production') return { database: false, temporal: false, s3: false };
  const problems: string[] = [];
  const decide = (dependency: Dependency): boolean => {
    const given = VARIABLES[dependency].filter((name) => env[name]);
    const missing = VARIABLES[dependency].filter((name) => !env[name]);
    if (given.length > 0)
      for (const name of missing)
        problems.push(`${name}: is missing beside ${given.join(', ')} (give all of them, or none)`);
    return given.length === 0;
  };
  const decided = { database: decide('database'), temporal: decide('temporal'), s3: decide('s3') };
  if (problems.length > 0) throw new SettingsError(problems);
  return decided;
}
