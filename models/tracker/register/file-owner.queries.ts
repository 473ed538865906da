import { notFound } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';

/** What has files that a version may be made of. */
export type FileOwner = 'run' | 'logged-model';

const rowOf = (tx: TenantTransaction, owner: FileOwner, row: number) =>
  tx.kysely
    .selectFrom(owner === 'run' ? 'tracker_run' : 'logged_model')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', row)
    .select('id');

/** Its files stay as they are until a version that is made of them is committed. @param row short id of the owner */
export async function holdFiles(tx: TenantTransaction, owner: FileOwner, row: number): Promise<void> {
  await rowOf(tx, owner, row).forShare().executeTakeFirst();
}

/**
 * Before its files are replaced or removed: waits for whoever holds them.
 * @param row short id of the owner
 * @throws AppError not_found when the owner has been removed meanwhile
 */
export async function lockFiles(tx: TenantTransaction, owner: FileOwner, row: number): Promise<void> {
  const found = await rowOf(tx, owner, row).forNoKeyUpdate().executeTakeFirst();
  if (!found) throw notFound(owner === 'run' ? 'Run' : 'Logged model');
}
