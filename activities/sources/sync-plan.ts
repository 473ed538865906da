import type { RemoteFile } from '../../core/ports/remote-source.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { SyncRow } from '../../models/sources/sync/dataset-sync.queries.js';
import {
  checkManifestFile,
  duplicatePath,
  type PlannedFile,
} from '../../models/sources/sync/dataset-sync.rules.js';
import { MAX_LISTED_FINDINGS, type SyncFinding } from '../../models/sources/sync/dataset-sync.types.js';
import type { SourceStep, SyncInput, SyncLane } from '../../models/sources/sync/dataset-sync-work.types.js';
import { assertPlanning, restartPlan, storePlan } from '../../models/sources/sync/sync-plan.commands.js';
import { insertEntries } from '../../models/sources/sync/sync-plan.sql.js';
import { addFindings, recordSourceBack } from '../../models/sources/sync/sync-row.commands.js';
import { beginSync } from '../../models/sources/sync/sync-run.commands.js';
import type { Beat } from '../support/activity-context.js';
import { findPlace, type PlaceDeps } from './source-place.js';
import { cutOf, stepAfter } from './source-step.js';
import { SyncProgress } from './sync-progress.js';

export interface PlanDeps extends PlaceDeps {
  /** For how long a source that is away is waited for. */
  readonly patienceMs: number;
}

/**
 * Reads the manifest and compares it with the dataset. Idempotent.
 * @returns how many files are to be copied
 */
export async function planSync(
  deps: PlanDeps,
  input: SyncInput,
  lane: SyncLane,
  beat: Beat,
): Promise<SourceStep<number>> {
  const tenantId = asTenantId(input.tenantId);
  const sync = await deps.database.inTenant(tenantId, (tx) => beginSync(tx, input));
  if (!sync) return { is: 'done', result: 0 };
  if (sync.plan) return { is: 'done', result: sync.filesTotal };
  const { signal } = beat;
  const cut = cutOf(lane);
  let attempt: number;
  try {
    const place = await findPlace(deps, tenantId, sync);
    const until = cut ? AbortSignal.any([signal, cut]) : signal;
    const manifest = place.source.readManifest(place.endpoint, place.remoteDatasetId, until);
    attempt = await writeManifestEntries(deps.database, tenantId, sync, manifest, beat);
  } catch (error) {
    const progress = new SyncProgress(deps.database, tenantId, sync.id);
    return stepAfter(error, { forMs: deps.patienceMs, signal, cut, progress });
  }
  const compare = async (tx: TenantTransaction) => {
    const plan = await storePlan(tx, sync, attempt);
    await recordSourceBack(tx, sync.id);
    return plan;
  };
  const { add, change } = await deps.database.inTenant(tenantId, compare, signal);
  return { is: 'done', result: add.files + change.files };
}

/** Lines that are written at once. */
const SLICE = 2000;

/**
 * Writes a manifest as it comes, slice by slice, in place of what an earlier attempt wrote. Lines that cannot
 * become files are errors of the sync.
 * @returns the number of this attempt
 * @throws AppError service_unavailable when a later attempt has begun: this one was given up while it still
 *   ran
 */
export async function writeManifestEntries(
  database: Database,
  tenantId: TenantId,
  sync: Pick<SyncRow, 'id'>,
  manifest: AsyncIterable<RemoteFile>,
  beat: Pick<Beat, 'progress'>,
): Promise<number> {
  const errors: { count: number; listed: SyncFinding[] } = { count: 0, listed: [] };
  const addFinding = (finding: SyncFinding) => {
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
      if (!fresh.has(at)) addFinding(duplicatePath(file.path));
    });
    position += files.length;
    beat.progress({ lines: position });
  };
  for await (const line of manifest) {
    const { file, problem } = checkManifestFile(line);
    if (problem) addFinding(problem);
    else slice.push(file);
    if (slice.length >= SLICE) await write();
  }
  if (slice.length > 0) await write();
  await inTurn((tx) => addFindings(tx, sync.id, 'error', errors));
  return attempt;
}
