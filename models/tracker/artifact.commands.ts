import type { TenantTransaction } from '../orm/transaction.js';
import { PUT_ARTIFACT } from './artifact.sql.js';
import type { RunArtifact } from './run.types.js';

/** Where the objects of a run lie. */
export const artifactPrefix = (tenantId: string, runId: string): string => `t/${tenantId}/run/${runId}`;

/**
 * Stores where the bytes of a path lie now.
 * @param row the run's short id
 * @returns the key of the object it replaced, to be removed after the commit, or null
 */
export async function putArtifact(
  tx: TenantTransaction,
  row: number,
  artifact: RunArtifact,
): Promise<string | null> {
  const { path, sizeBytes, sha256, objectKey } = artifact;
  const values = [tx.tenantId, row, path, sizeBytes, sha256, objectKey];
  const [old] = await tx.rows<{ objectKey: string }>(PUT_ARTIFACT, values);
  return old?.objectKey ?? null;
}
