import { sql } from 'kysely';
import type { Deployed } from '../devices/device-moves.sql.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/**
 * sha256 of the file of each version that devices of the deployment get and that consists of one file, by version: what a device
 * checks its download with.
 */
export async function singleFileDigests(
  tx: TenantTransaction,
  { id, modelId }: Deployed,
): Promise<Record<number, string>> {
  const given = tx.kysely
    .selectFrom('deployment_device')
    .where('tenantId', '=', tx.tenantId)
    .where('deploymentId', '=', id)
    .select('version');
  const found = await tx.kysely
    .selectFrom('model_version as v')
    .innerJoin('model_version_file as f', (join) =>
      join.onRef('f.tenantId', '=', 'v.tenantId').onRef('f.versionId', '=', 'v.id'),
    )
    .where('v.tenantId', '=', tx.tenantId)
    .where('v.modelId', '=', modelId)
    .where('v.version', 'in', given)
    .groupBy('v.version')
    .having(({ fn }) => fn.countAll(), '=', 1)
    .select(['v.version', sql<string>`min(f.sha256)`.as('sha256')])
    .execute();
  return Object.fromEntries(found.map(({ version, sha256 }) => [version, sha256]));
}
