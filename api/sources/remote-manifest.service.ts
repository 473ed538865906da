import { AppError } from '../../core/errors/app-error.js';
import type { RemoteFile, RemoteSource, SourceFailureDetail } from '../../core/ports/remote-source.js';
import { requireDataset } from '../../models/datasets/dataset-catalog.repository.js';
import type { Database } from '../../models/orm/database.js';
import { checkManifestFile, duplicatePath, type PlannedFile } from '../../models/sources/dataset-sync.rules.js';
import type { SyncFinding } from '../../models/sources/dataset-sync.types.js';
import { PathSet } from '../../models/sources/path-set.js';
import { type SyncPreview, SyncPreviewBuilder } from '../../models/sources/sync-preview.js';
import type { Caller } from '../http/request-context.js';
import type { ExternalSourcesService } from './external-sources.service.js';

/** An entry that cannot become a file, with its place in the manifest (from 0). */
export interface ManifestProblem extends SyncFinding {
  readonly entry: number;
}

export interface RemoteManifest {
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** The first 1,000, in the order of the source. */
  readonly files: readonly PlannedFile[];
  readonly problemCount: number;
  /** The first 50. */
  readonly problems: readonly ManifestProblem[];
  /** Null when no dataset was named. */
  readonly preview: SyncPreview | null;
}

const MAX_LISTED_FILES = 1000;
const MAX_LISTED_PROBLEMS = 50;
/** Files that are compared by one statement. */
const SLICE = 2000;
/** How long a person waits; a sync has ten minutes for the same. */
const DEADLINE_MS = 60_000;

/** Manifests of remote datasets, read as they come: neither the text nor its files are held, however many there are. */
export class RemoteManifestService {
  constructor(
    private readonly db: Database,
    private readonly remote: RemoteSource,
    private readonly sources: ExternalSourcesService,
    private readonly deadlineMs: number = DEADLINE_MS,
  ) {}

  async read(caller: Caller, sourceKey: string, remoteDatasetId: string, datasetKey: string | null, left: AbortSignal): Promise<RemoteManifest> {
    const endpoint = await this.sources.openEnabled(caller, sourceKey);
    const builder = datasetKey === null ? null : await this.openPreview(caller, datasetKey);
    const deadline = AbortSignal.timeout(this.deadlineMs);
    try {
      return await summarize(this.remote.readManifest(endpoint, remoteDatasetId, AbortSignal.any([left, deadline])), builder);
    } catch (error) {
      throw deadline.aborted && !(error instanceof AppError) ? tooSlow(this.deadlineMs) : error;
    }
  }

  private async openPreview(caller: Caller, datasetKey: string): Promise<SyncPreviewBuilder> {
    const { tenantId } = caller.tenant;
    const dataset = await this.db.inTenant(tenantId, (tx) => requireDataset(tx, datasetKey));
    return new SyncPreviewBuilder(this.db, tenantId, dataset.id);
  }
}

async function summarize(manifest: AsyncIterable<RemoteFile>, builder: SyncPreviewBuilder | null): Promise<RemoteManifest> {
  const named = new PathSet();
  const [files, problems]: [PlannedFile[], ManifestProblem[]] = [[], []];
  let [entry, fileCount, sizeBytes, problemCount] = [0, 0, 0, 0];
  let slice: PlannedFile[] = [];
  for await (const line of manifest) {
    const checked = checkManifestFile(line);
    const problem = checked.problem ?? (named.add(checked.file.localPath) ? null : duplicatePath(line.path));
    if (problem) {
      problemCount += 1;
      if (problems.length < MAX_LISTED_PROBLEMS) problems.push({ entry, ...problem });
    } else if (checked.file) {
      fileCount += 1;
      sizeBytes += checked.file.sizeBytes;
      if (files.length < MAX_LISTED_FILES) files.push(checked.file);
      if (builder) slice.push(checked.file);
    }
    entry += 1;
    if (builder && slice.length === SLICE) {
      await builder.compare(slice);
      slice = [];
    }
  }
  if (builder && slice.length > 0) await builder.compare(slice);
  return { fileCount, sizeBytes, files, problemCount, problems, preview: builder && (await builder.finish(named)) };
}

function tooSlow(ms: number): AppError {
  const detail: SourceFailureDetail = { reason: 'timeout', next_step: 'Start a sync: it has ten minutes for the manifest.' };
  return new AppError('gateway_timeout', `Reading the manifest takes longer than ${ms / 1000} s.`, detail);
}
