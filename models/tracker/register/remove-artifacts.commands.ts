import type { TenantTransaction } from '../../orm/transaction.js';
import { freeFiles } from '../../registry/free-files.commands.js';
import { type FileOwner, lockFiles } from './file-owner.queries.js';
import { REMOVE_MODEL_ARTIFACTS, REMOVE_RUN_ARTIFACTS } from './remove-artifacts.sql.js';

/**
 * Removes a file, or all files of a folder ('' for all). Registered versions keep theirs.
 * @param row the short id of the run or the logged model
 * @returns how many
 */
export async function removeArtifacts(
  tx: TenantTransaction,
  of: FileOwner,
  row: number,
  path: string,
): Promise<number> {
  await lockFiles(tx, of, row);
  const [from, to] = path === '' ? ['', '\u{10ffff}'] : [`${path}/`, `${path}0`];
  const statement = of === 'run' ? REMOVE_RUN_ARTIFACTS : REMOVE_MODEL_ARTIFACTS;
  const removed = await tx.rows<{ key: string }>(statement, [tx.tenantId, row, path, from, to]);
  await freeFiles(
    tx,
    removed.map(({ key }) => key),
  );
  return removed.length;
}
