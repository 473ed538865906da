import type { TenantTransaction } from '../../orm/transaction.js';
import type { Targets } from '../deployment.types.js';

/** A device that takes part. */
export interface TargetDevice {
  readonly id: string;
  readonly key: string;
  /** Version of the model that is installed; null: none that is known of. */
  readonly fromVersion: number | null;
}

/** More devices than this take several deployments. */
export const MAX_DEVICES = 100_000;

const SELECTED = `
  select d.id, d.key, i.version as from_version
  from edge_device d
  left join edge_installed_model i on i.tenant_id = d.tenant_id and i.device_id = d.id and i.model_id = $2
  where d.tenant_id = $1
    and ($3::text[] is null or d.key = any($3)) and ($4::text is null or d.location = $4)
    and ($5::text is null or d.os = $5) and ($6::int is null or i.version = $6)
  order by d.key limit ${MAX_DEVICES + 1}`;

/** Devices of a selection by key, at most one more than `MAX_DEVICES`. */
export const listTargets = (
  tx: TenantTransaction,
  modelId: string,
  { ids, location, os, currentVersion }: Targets,
): Promise<TargetDevice[]> =>
  tx.rows<TargetDevice>(SELECTED, [tx.tenantId, modelId, ids, location, os, currentVersion]);

/** Those of these ids that no device has. */
export const listUnknown = async (tx: TenantTransaction, ids: readonly string[]): Promise<string[]> => {
  if (ids.length === 0) return [];
  const unknown = await tx.rows<{ key: string }>(
    `select key from unnest($2::text[]) as t (key)
     where not exists (select 1 from edge_device d where d.tenant_id = $1 and d.key = t.key) order by key`,
    [tx.tenantId, ids],
  );
  return unknown.map(({ key }) => key);
};
