import type { TenantTransaction } from '../../orm/transaction.js';
import type { RunArtifact } from '../run.types.js';
import { PUT_MODEL_ARTIFACT } from './model-artifact.sql.js';

/** @returns the key of the object it replaced, to be removed after the commit, or null */
export async function putModelArtifact(
  tx: TenantTransaction,
  model: number,
  { path, sizeBytes, sha256, objectKey }: RunArtifact,
): Promise<string | null> {
  const values = [tx.tenantId, model, path, sizeBytes, sha256, objectKey];
  const [old] = await tx.rows<{ objectKey: string }>(PUT_MODEL_ARTIFACT, values);
  return old?.objectKey ?? null;
}
