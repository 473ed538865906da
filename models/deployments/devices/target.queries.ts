import { anyOf } from '../../orm/any-of.js';
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

/**
 * Devices of a selection by key, at most one more than `MAX_DEVICES`. None of them is deleted until the transaction ends, nor
 * has its deletion begun: it would look for the deployments of its device before this one is there.
 */
export const listTargets = (
  tx: TenantTransaction,
  modelId: string,
  { ids, location, os, currentVersion }: Targets,
): Promise<TargetDevice[]> =>
  tx.kysely
    .selectFrom('edge_device as d')
    .leftJoin('edge_installed_model as i', (join) =>
      join
        .onRef('i.tenantId', '=', 'd.tenantId')
        .onRef('i.deviceId', '=', 'd.id')
        .on('i.modelId', '=', modelId),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .$if(ids !== null, (all) => all.where('d.key', '=', anyOf(ids as readonly string[])))
    .$if(location !== null, (all) => all.where('d.location', '=', location))
    .$if(os !== null, (all) => all.where('d.os', '=', os))
    .$if(currentVersion !== null, (all) => all.where('i.version', '=', currentVersion))
    .select(['d.id', 'd.key', 'i.version as fromVersion'])
    .orderBy('d.key')
    .limit(MAX_DEVICES + 1)
    .forShare('d')
    .execute();

/** Those of these ids that no device has. */
export async function listUnknown(tx: TenantTransaction, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await tx.kysely
    .selectFrom('edge_device')
    .where('tenantId', '=', tx.tenantId)
    .where('key', '=', anyOf(ids))
    .select('key')
    .execute();
  const known = new Set(found.map(({ key }) => key));
  return ids.filter((id) => !known.has(id)).sort();
}
