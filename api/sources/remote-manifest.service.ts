import { AppError } from '../../core/errors/app-error.js';
import type { RemoteSource, SourceFailureDetail } from '../../core/ports/remote-source.js';
import { requireDataset } from '../../models/datasets/dataset-catalog.repository.js';
import type { Database } from '../../models/orm/database.js';
import { SyncPreviewBuilder } from '../../models/sources/sync-preview.js';
import type { Caller } from '../http/request-context.js';
import type { ExternalSourcesService } from './external-sources.service.js';
import { ManifestSummary, type RemoteManifest } from './manifest-summary.js';

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
    const openPreview = datasetKey === null ? () => null : await this.previewsOf(caller, datasetKey);
    const deadline = AbortSignal.timeout(this.deadlineMs);
    try {
      const signal = AbortSignal.any([left, deadline]);
      const readThrough = (summary: ManifestSummary) => summary.read(this.remote.readManifest(endpoint, remoteDatasetId, signal));
      const first = new ManifestSummary(openPreview(), null);
      const manifest = await readThrough(first);
      // Which lines clash is known at the end alone; such manifests are rare, and read once more.
      return first.paths.hasClash ? await readThrough(new ManifestSummary(openPreview(), first.paths)) : manifest;
    } catch (error) {
      throw deadline.aborted && !(error instanceof AppError) ? tooSlow(this.deadlineMs) : error;
    }
  }

  private async previewsOf(caller: Caller, datasetKey: string): Promise<() => SyncPreviewBuilder> {
    const { tenantId } = caller.tenant;
    const dataset = await this.db.inTenant(tenantId, (tx) => requireDataset(tx, datasetKey));
    return () => new SyncPreviewBuilder(this.db, tenantId, dataset.id);
  }
}

function tooSlow(ms: number): AppError {
  const detail: SourceFailureDetail = { reason: 'timeout', next_step: 'Start a sync: it has ten minutes for the manifest.' };
  return new AppError('gateway_timeout', `Reading the manifest takes longer than ${ms / 1000} s.`, detail);
}
