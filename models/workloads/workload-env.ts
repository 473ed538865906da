import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';

type Env = Readonly<Record<string, string>>;

export const workloadEnvPlace = (tenantId: string, name: string): string =>
  `workload|sealed_env|${tenantId}|${name}`;

/** Variables of a workload carry its credentials: only encrypted do they reach the database. */
export const sealEnv = (keys: KeyRing, tenantId: string, name: string, env: Env): string | null =>
  Object.keys(env).length === 0 ? null : seal(keys, workloadEnvPlace(tenantId, name), JSON.stringify(env));

export const openEnv = (keys: KeyRing, tenantId: string, name: string, sealed: string | null): Env =>
  sealed === null ? {} : (JSON.parse(open(keys, workloadEnvPlace(tenantId, name), sealed)) as Env);
