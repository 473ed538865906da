import { AppError, unavailable } from '../../core/errors/app-error.js';
import { SharedSlots } from '../../core/load/shared-slots.js';
import {
  type RemoteEndpoint,
  type RemoteSource,
  type SourceFailureDetail,
  sourceFailureOf,
} from '../../core/ports/remote-source.js';
import { requireDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { SyncPreviewBuilder } from '../../models/sources/sync/sync-preview.js';
import type { Caller } from '../http/routing/request-context.js';
import type { ExternalSourcesService } from './external-sources.service.js';
import { ManifestSummary, type RemoteManifest } from './manifest-summary.js';

/** How long a person waits for a turn, and then for the manifest; a sync has ten minutes for the same. */
const DEADLINE_MS = 60_000;
const RETRY_AFTER_S = 10;
/** Manifests that are read at once, of all tenants and of each; the others wait. */
const AT_ONCE = 6;
const OF_A_TENANT = 2;

/**
 * Manifests of remote datasets, read as they come: neither the text nor its files are held, however many
 * there are.
 */
export class RemoteManifestService {
  private readonly turns = new SharedSlots(AT_ONCE, OF_A_TENANT);

  constructor(
    private readonly db: Database,
    private readonly remote: RemoteSource,
    private readonly sources: ExternalSourcesService,
    private readonly deadlineMs: number = DEADLINE_MS,
    private readonly patienceMs: number = DEADLINE_MS,
  ) {}

  async read(
    caller: Caller,
    sourceKey: string,
    remoteDatasetId: string,
    datasetKey: string | null,
    left: AbortSignal,
  ): Promise<RemoteManifest> {
    const endpoint = await this.sources.openEnabled(caller, sourceKey);
    const openPreview = datasetKey === null ? () => null : await this.previewsOf(caller, datasetKey);
    const patience = AbortSignal.timeout(this.patienceMs);
    try {
      const read = () => this.readInTime(endpoint, remoteDatasetId, openPreview, left);
      return await this.turns.during(caller.tenant.tenantId, read, AbortSignal.any([left, patience]));
    } catch (error) {
      throw error === patience.reason
        ? unavailable('Too many manifests are being read; ask again in a moment.', undefined, RETRY_AFTER_S)
        : error;
    }
  }

  private async readInTime(
    endpoint: RemoteEndpoint,
    remoteDatasetId: string,
    openPreview: () => SyncPreviewBuilder | null,
    left: AbortSignal,
  ): Promise<RemoteManifest> {
    const deadline = AbortSignal.timeout(this.deadlineMs);
    const signal = AbortSignal.any([left, deadline]);
    try {
      return await this.readThrough(endpoint, remoteDatasetId, openPreview, signal);
    } catch (error) {
      const reason =
        sourceFailureOf(error)?.reason === 'missing'
          ? await this.whatIsMissing(endpoint, error as AppError, signal)
          : error;
      throw deadline.aborted && !(reason instanceof AppError) ? tooSlow(this.deadlineMs) : reason;
    }
  }

  private async readThrough(
    endpoint: RemoteEndpoint,
    id: string,
    openPreview: () => SyncPreviewBuilder | null,
    signal: AbortSignal,
  ): Promise<RemoteManifest> {
    const summarize = (summary: ManifestSummary) =>
      summary.read(this.remote.readManifest(endpoint, id, signal));
    const first = new ManifestSummary(openPreview(), null);
    const manifest = await summarize(first);
    // Which lines clash is known at the end alone; such manifests are rare, and read once more.
    return first.paths.hasClash ? summarize(new ManifestSummary(openPreview(), first.paths)) : manifest;
  }

  /**
   * A source that has its list lacks the dataset alone; one without a list is not what base_url should lead
   * to.
   */
  private async whatIsMissing(
    endpoint: RemoteEndpoint,
    error: AppError,
    signal: AbortSignal,
  ): Promise<unknown> {
    try {
      await this.remote.listDatasets(endpoint, { page: 1, pageSize: 1 }, signal);
      return new AppError('not_found', error.message, error.detail);
    } catch (reason) {
      return reason;
    }
  }

  private async previewsOf(caller: Caller, datasetKey: string): Promise<() => SyncPreviewBuilder> {
    const { tenantId } = caller.tenant;
    const dataset = await this.db.inTenant(tenantId, (tx) => requireDataset(tx, datasetKey));
    return () => new SyncPreviewBuilder(this.db, tenantId, dataset.id);
  }
}

function tooSlow(ms: number): AppError {
  const detail: SourceFailureDetail = {
    reason: 'timeout',
    next_step: 'Start a sync: it has ten minutes for the manifest.',
  };
  return new AppError('gateway_timeout', `Reading the manifest takes longer than ${ms / 1000} s.`, detail);
}
