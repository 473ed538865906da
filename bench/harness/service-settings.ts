import { existsSync } from 'node:fs';
import { sharedEnvironment } from '../../cli/supervisor/environment.js';
import { ensureSecrets } from '../../cli/supervisor/secrets.js';
import type { PlatformFacts } from './platform.js';
import { environmentOf } from './process-tree.js';

const portOf = (url: string): number => Number(new URL(url).port);

/**
 * Settings with which one more process of the kind can run beside that of a platform. Secrets are not in the environment
 * of a process: they come from the data directory, as the supervisor has them.
 */
export function settingsOf(facts: PlatformFacts, name: 'api' | 'worker'): NodeJS.ProcessEnv {
  const given = environmentOf(facts.pids[name] as number);
  const dataDir = given.SERVICE_DATA_DIR as string;
  const shared = sharedEnvironment({
    ...{ dataDir, given: {}, provisioning: { database: true, temporal: true, s3: true } },
    secrets: ensureSecrets(dataDir),
    ports: {
      postgres: portOf(facts.database_url),
      temporal: portOf(`http://${given.TEMPORAL_ADDRESS}`),
      s3: portOf(facts.s3_endpoint),
    },
    apiPort: portOf(facts.base_url),
  });
  // The files by which the secrets were handed over are gone.
  const isGone = ([setting, file]: [string, string | undefined]) =>
    setting.endsWith('_FILE') && !existsSync(file as string);
  const own = Object.entries(given).filter((entry) => !isGone(entry));
  return { ...shared, ...Object.fromEntries(own) };
}
