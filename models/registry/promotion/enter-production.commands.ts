import type { TenantTransaction } from '../../orm/transaction.js';
import type { ModelVersionRow } from '../model.types.js';
import { moveVersion, type StageMover } from '../stage-history.commands.js';
import { lockProduction } from '../version.queries.js';
import { endWatches } from './end-watches.commands.js';

/**
 * Puts a version into Production and archives the one that was there, in this transaction: one stands in Production at any
 * time. The caller has locked the model, and the version is in another stage.
 * @returns the version that was archived; null when none was in Production
 */
export async function enterProduction(
  tx: TenantTransaction,
  version: ModelVersionRow,
  by: StageMover,
): Promise<ModelVersionRow | null> {
  const former = await lockProduction(tx, version.modelId);
  if (former) await moveVersion(tx, former, 'Archived', by);
  await moveVersion(tx, version, 'Production', by);
  await endWatches(tx, version.modelId);
  return former;
}
