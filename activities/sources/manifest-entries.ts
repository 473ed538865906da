import type { RemoteFile } from '../../core/ports/remote-source.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/database.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { checkManifestFile, duplicatePath, type PlannedFile } from '../../models/sources/dataset-sync.rules.js';
import { addFindings, type SyncRow } from '../../models/sources/dataset-sync.repository.js';
import { MAX_LISTED_FINDINGS, type SyncFinding } from '../../models/sources/dataset-sync.types.js';
import { insertEntries } from '../../models/sources/sync-entry.repository.js';
import { assertPlanning, restartPlan } from '../../models/sources/sync-plan.commands.js';

/** Lines that are written at once. */
const SLICE = 2000;

/**
 * Writes a manifest as it comes, slice by slice, in place of what an earlier attempt wrote. Lines that cannot become files
 * are errors of the sync.
 * @returns the number of this attempt
 * @throws AppError service_unavailable when a later attempt has begun: this one was given up while it still ran
 */
export async function writeManifestEntries(
  database: Database,
  tenantId: TenantId,
  sync: SyncRow,
  manifest: AsyncIterable<RemoteFile>,
  onProgress: (details: { lines: number }) => void,
): Promise<number> {
  const errors: { count: number; listed: SyncFinding[] } = { count: 0, listed: [] };
  const note = (finding: SyncFinding) => {
    errors.count += 1;
    if (errors.listed.length < MAX_LISTED_FINDINGS) errors.listed.push(finding);
  };
  const attempt = await database.inTenant(tenantId, (tx) => restartPlan(tx, sync));
  const inTurn = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
    database.inTenant(tenantId, async (tx) => {
      await assertPlanning(tx, sync.id, attempt);
      return work(tx);
    });
  let position = 0;
  let slice: PlannedFile[] = [];
  const write = async () => {
    const files = slice;
    slice = [];
    const fresh = await inTurn((tx) => insertEntries(tx, sync.id, position, files));
    files.forEach((file, at) => {
      if (!fresh.has(at)) note(duplicatePath(file.path));
    });
    position += files.length;
    onProgress({ lines: position });
  };
  for await (const line of manifest) {
    const { file, problem } = checkManifestFile(line);
    if (problem) note(problem);
    else slice.push(file);
    if (slice.length >= SLICE) await write();
  }
  if (slice.length > 0) await write();
  await inTurn((tx) => addFindings(tx, sync.id, 'error', errors));
  return attempt;
}
