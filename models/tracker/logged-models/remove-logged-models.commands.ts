import type { TenantTransaction } from '../../orm/transaction.js';
import { freeFiles } from '../../registry/free-files.commands.js';
import { DELETE_LOGGED_MODELS } from './logged-model.sql.js';

/** Removes all logged models of an experiment with their files; registered versions keep theirs. */
export async function removeLoggedModels(tx: TenantTransaction, experiment: number): Promise<void> {
  const models = await tx.kysely
    .selectFrom('logged_model')
    .where('tenantId', '=', tx.tenantId)
    .where('experiment', '=', experiment)
    .orderBy('id')
    .select('id')
    .forUpdate()
    .execute();
  if (models.length === 0) return;
  const rows = models.map(({ id }) => id);
  const files = await tx.rows<{ key: string }>(DELETE_LOGGED_MODELS, [tx.tenantId, rows]);
  await freeFiles(
    tx,
    files.map(({ key }) => key),
  );
}
