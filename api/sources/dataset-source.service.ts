import { fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import {
  type RemoteDataset,
  type RemoteEndpoint,
  type RemoteSource,
  sourceFailureOf,
} from '../../core/ports/remote-source.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { firstCharacters } from '../../core/text/line-text.js';
import { createDraft } from '../../models/datasets/catalog/dataset.commands.js';
import { type DatasetRow, requireDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import { lockDataset } from '../../models/datasets/catalog/dataset-change.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import {
  detailOfLink,
  linkDataset,
  unlinkDataset,
  type WantedLink,
  writeLink,
} from '../../models/sources/catalog/dataset-link.commands.js';
import {
  findLink,
  type LinkRow,
  requireSyncOrigin,
} from '../../models/sources/catalog/dataset-link.queries.js';
import { writeSync } from '../../models/sources/sync/dataset-sync.commands.js';
import { findSource } from '../../models/sources/catalog/external-source.queries.js';
import { assertEnabled } from '../../models/sources/catalog/external-source.rules.js';
import { remoteEndpointOf } from '../../models/sources/catalog/source-token.js';
import type { Caller } from '../http/routing/request-context.js';

export interface WantedCopy extends WantedLink {
  /** Null: as the remote dataset has it. */
  readonly name: string | null;
  readonly modality: string | null;
  readonly syncsNow: boolean;
}

/** Remote lists are looked through for a name this far. */
const LOOKUP_PAGE = 200;
const LOOKUP_PAGES = 25;
const LOOKUP_MS = 30_000;
const LINK_LOOKUP_MS = 10_000;

/** Which remote dataset a dataset is a copy of. */
export class DatasetSourceService {
  constructor(
    private readonly db: Database,
    private readonly remote: RemoteSource,
    private readonly keys: KeyRing,
  ) {}

  async read(caller: Caller, datasetKey: string): Promise<LinkRow> {
    const link = await this.db.inTenant(caller.tenant.tenantId, (tx) => findLink(tx, datasetKey));
    if (!link) throw notFound('Dataset');
    return link;
  }

  /**
   * A new remote dataset must be one that the source lists; a source that is away or disabled is taken at the
   * caller's word.
   */
  async link(caller: Caller, datasetKey: string, wanted: WantedLink, signal: AbortSignal): Promise<LinkRow> {
    const endpoint = await this.endpointToAsk(caller, datasetKey, wanted);
    if (endpoint) {
      const deadline = AbortSignal.timeout(LINK_LOOKUP_MS);
      await this.lookUp(endpoint, wanted.remoteDatasetId, signal, deadline).catch((error: unknown) => {
        if (sourceFailureOf(error) === null) throw error;
      });
    }
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      linkDataset(tx, caller.actor, datasetKey, wanted),
    );
  }

  unlink(caller: Caller, datasetKey: string): Promise<LinkRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => unlinkDataset(tx, caller.actor, datasetKey));
  }

  /**
   * Makes a dataset, links it and starts its first sync, all or nothing. The source is asked only for what
   * the caller left out.
   */
  async createFrom(
    caller: Caller,
    wanted: WantedCopy,
    signal: AbortSignal,
  ): Promise<{ dataset: DatasetRow; syncId: string | null }> {
    const endpoint = await this.openSource(caller, wanted.sourceKey);
    const isComplete = wanted.name !== null && wanted.modality !== null;
    const found = isComplete ? null : await this.lookUp(endpoint, wanted.remoteDatasetId, signal);
    const draft = {
      name: wanted.name ?? found?.name ?? firstCharacters(wanted.remoteDatasetId, 200),
      modality: wanted.modality ?? found?.modality ?? 'image',
      source: 'external',
    };
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const key = await createDraft(tx, caller.actor, draft, {
        ...detailOfLink(wanted),
        sync_now: wanted.syncsNow,
      });
      await writeLink(tx, caller.actor, key, wanted);
      const locked = await lockDataset(tx, key);
      const syncId = wanted.syncsNow
        ? await writeSync(tx, caller.actor, locked, await requireSyncOrigin(tx, locked.id), 'manual')
        : null;
      return { dataset: await requireDataset(tx, key), syncId };
    });
  }

  /** Null where the source need not be asked, or will be refused by the link itself. */
  private endpointToAsk(
    caller: Caller,
    datasetKey: string,
    wanted: WantedLink,
  ): Promise<RemoteEndpoint | null> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const [source, link] = [await findSource(tx, wanted.sourceKey), await findLink(tx, datasetKey)];
      const isSame = link?.sourceKey === wanted.sourceKey && link.remoteDatasetId === wanted.remoteDatasetId;
      return source?.enabled && link && link.activeSyncId === null && !isSame
        ? remoteEndpointOf(this.keys, tx.tenantId, source)
        : null;
    });
  }

  /** @throws AppError unprocessable_entity without the source, conflict when it is disabled */
  private openSource(caller: Caller, key: string): Promise<RemoteEndpoint> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const source = await findSource(tx, key);
      if (!source)
        throw unprocessable([fieldError(['body', 'source_id'], 'there is no external source of this id')]);
      assertEnabled(source);
      return remoteEndpointOf(this.keys, tx.tenantId, source);
    });
  }

  /**
   * Null when the list is too long to be looked through.
   * @throws AppError unprocessable_entity when the whole list lacks it
   */
  private async lookUp(
    endpoint: RemoteEndpoint,
    id: string,
    left: AbortSignal,
    deadline = AbortSignal.timeout(LOOKUP_MS),
  ): Promise<RemoteDataset | null> {
    for (let page = 1; page <= LOOKUP_PAGES; page += 1) {
      const answer = await this.remote
        .listDatasets(endpoint, { page, pageSize: LOOKUP_PAGE }, AbortSignal.any([left, deadline]))
        .catch((error: unknown) => {
          if (left.aborted || !deadline.aborted) throw error;
          return null;
        });
      const found = answer?.items.find((dataset) => dataset.id === id);
      if (!answer || found) return found ?? null;
      if (answer.items.length === 0 || page * LOOKUP_PAGE >= answer.total)
        throw unprocessable([
          fieldError(['body', 'remote_dataset_id'], 'the source lists no dataset of this id'),
        ]);
    }
    return null;
  }
}
