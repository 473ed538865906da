import type { TenantTransaction } from '../../orm/transaction.js';
import type { RunArtifact } from '../run.types.js';

const MAX_FILES = 100_000;

/** By path. @param model the short id */
export const listModelArtifacts = (tx: TenantTransaction, model: number): Promise<RunArtifact[]> =>
  tx.kysely
    .selectFrom('logged_model_artifact')
    .where('tenantId', '=', tx.tenantId)
    .where('model', '=', model)
    .orderBy('path')
    .limit(MAX_FILES)
    .select(['path', 'sizeBytes', 'sha256', 'objectKey'])
    .execute();

export async function findModelArtifact(
  tx: TenantTransaction,
  model: number,
  path: string,
): Promise<RunArtifact | null> {
  const found = tx.kysely
    .selectFrom('logged_model_artifact')
    .where('tenantId', '=', tx.tenantId)
    .where('model', '=', model)
    .where('path', '=', path)
    .select(['path', 'sizeBytes', 'sha256', 'objectKey']);
  return (await found.executeTakeFirst()) ?? null;
}
