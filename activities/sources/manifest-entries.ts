import type { RemoteFile } from '../../core/ports/remote-source.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/database.js';
import { checkManifestFile, duplicatePath, type PlannedFile } from '../../models/sources/dataset-sync.rules.js';
import { addFindings, type SyncRow } from '../../models/sources/dataset-sync.repository.js';
import { MAX_LISTED_FINDINGS, type SyncFinding } from '../../models/sources/dataset-sync.types.js';
import { insertEntries } from '../../models/sources/sync-entry.repository.js';
import { restartPlan } from '../../models/sources/sync-run.commands.js';

/** Lines that are written at once. */
const SLICE = 2000;

/**
 * Writes a manifest as it comes, slice by slice, in place of what an earlier attempt wrote. Lines that cannot become files
 * are errors of the sync.
 */
export async function writeManifestEntries(
  database: Database,
  tenantId: TenantId,
  sync: SyncRow,
  manifest: AsyncIterable<RemoteFile>,
  onProgress: (details: { lines: number }) => void,
): Promise<void> {
  const errors: { count: number; listed: SyncFinding[] } = { count: 0, listed: [] };
  const note = (finding: SyncFinding) => {
    errors.count += 1;
    if (errors.listed.length < MAX_LISTED_FINDINGS) errors.listed.push(finding);
  };
  await database.inTenant(tenantId, (tx) => restartPlan(tx, sync));
  let position = 0;
  let slice: PlannedFile[] = [];
  const write = async () => {
    const files = slice;
    slice = [];
    const fresh = await database.inTenant(tenantId, (tx) => insertEntries(tx, sync.id, position, files));
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
  await database.inTenant(tenantId, (tx) => addFindings(tx, sync.id, 'error', errors));
}
