import { freeObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { listHeldObjectKeys } from '../../registry/version.queries.js';
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
  const keys = (await tx.rows<{ key: string }>(DELETE_LOGGED_MODELS, [tx.tenantId, rows])).map(
    ({ key }) => key,
  );
  const held = await listHeldObjectKeys(tx, keys);
  await freeObjects(
    tx,
    keys.filter((key) => !held.has(key)).map((key) => ({ key })),
  );
}
