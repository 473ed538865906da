import type pg from 'pg';
import { newAccessToken } from '../../api/auth/access-token-text.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { DEFAULT_SCOPES } from '../../models/edge/devices/device-scopes.rules.js';
import { asOwner } from '../harness/owner-sql.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from '../harness/platform.js';
import { settingsOf } from '../harness/service-settings.js';

export const TENANT = 'demo';

export interface BenchDevice {
  /** The id people use. */
  readonly key: string;
  readonly token: string;
  /** What its records refer to. */
  readonly number: number;
}

export interface EdgeBench {
  readonly facts: PlatformFacts;
  readonly dataDir: string;
  /** Not held back by row-level security. */
  readonly owner: pg.Client;
  readonly tenantId: string;
  readonly devices: readonly BenchDevice[];
}

/** A platform with devices that have come once, written by SQL. @param settings beside those of every benchmark */
export async function withEdgeBench<T>(
  devices: number,
  work: (bench: EdgeBench) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const dataDir = newDataDir();
  try {
    const { facts, stop } = await startPlatform(dataDir, { env: settings });
    try {
      return await asOwner(facts, dataDir, async (owner) => {
        await owner.query('set row_security = off');
        const { rows } = await owner.query<{ id: string }>('select id from tenant where code = $1', [TENANT]);
        const tenantId = rows[0]?.id as string;
        const made = await addDevices(owner, facts, tenantId, devices);
        return work({ facts, dataDir, owner, tenantId, devices: made });
      });
    } finally {
      await stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function addDevices(
  owner: pg.Client,
  facts: PlatformFacts,
  tenantId: string,
  count: number,
): Promise<BenchDevice[]> {
  const keys = parseKeyRing(settingsOf(facts, 'api').SERVICE_SECRET_KEYS as string);
  const tokens = Array.from({ length: count }, () => newAccessToken(keys, 'device'));
  const { rows } = await owner.query<{ key: string; number: string; n: number }>(
    `with made as (
       insert into edge_device (tenant_id, key, registered_at)
       select $1, 'bench-' || n, now() from generate_series(1, $2::int) n returning id, key, number),
     snapshots as (insert into edge_snapshot (device, tenant_id) select number, $1 from made),
     tokens as (
       insert into edge_token (tenant_id, device_id, token_hash, key_id, scopes, expires_at)
       select $1, made.id, t.hash, $4, $5, now() + interval '1 year'
       from unnest($3::text[]) with ordinality as t (hash, n) join made on made.key = 'bench-' || t.n)
     select key, number, substring(key from 7)::int as n from made order by n`,
    [tenantId, count, tokens.map(({ hash }) => hash), tokens[0]?.keyId, JSON.stringify(DEFAULT_SCOPES)],
  );
  return rows.map(({ key, number, n }) => ({
    key,
    number: Number(number),
    token: (tokens[n - 1] as { token: string }).token,
  }));
}
