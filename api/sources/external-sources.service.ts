import { notFound } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import {
  type RemoteDataset,
  type RemoteEndpoint,
  type RemoteSource,
  type SourceFailureDetail,
  sourceFailureOf,
} from '../../core/ports/remote-source.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import {
  createSource,
  deleteSource,
  type NewSource,
  type SourceChanges,
  updateSource,
} from '../../models/sources/catalog/external-source.commands.js';
import {
  findSource,
  listSources,
  type SourceRow,
} from '../../models/sources/catalog/external-source.queries.js';
import { assertEnabled } from '../../models/sources/catalog/external-source.rules.js';
import { remoteEndpointOf } from '../../models/sources/catalog/source-token.js';
import type { Caller } from '../http/routing/request-context.js';

export interface SourceTest {
  /** Null when all is well. */
  readonly failure: SourceFailureDetail | null;
  readonly message: string;
  readonly latencyMs: number;
  readonly total: number | null;
  readonly sample: RemoteDataset | null;
}

/** The other systems that a tenant copies datasets from. No transaction is open while a source is asked. */
export class ExternalSourcesService {
  constructor(
    private readonly db: Database,
    private readonly remote: RemoteSource,
    private readonly keys: KeyRing,
  ) {}

  list(caller: Caller): Promise<{ items: SourceRow[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, listSources);
  }

  create(caller: Caller, wanted: NewSource): Promise<SourceRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      createSource(tx, caller.actor, this.keys, wanted),
    );
  }

  async read(caller: Caller, key: string): Promise<SourceRow> {
    const source = await this.db.inTenant(caller.tenant.tenantId, (tx) => findSource(tx, key));
    if (!source) throw notFound('External source');
    return source;
  }

  update(caller: Caller, key: string, changes: SourceChanges): Promise<SourceRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      updateSource(tx, caller.actor, this.keys, key, changes),
    );
  }

  async delete(caller: Caller, key: string, force: boolean): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deleteSource(tx, caller.actor, key, force));
  }

  /**
   * Fetches one entry of the remote list, of a disabled source too: a failure is the answer, not an error.
   */
  async test(caller: Caller, key: string, signal: AbortSignal): Promise<SourceTest> {
    const endpoint = this.endpointOf(caller, await this.read(caller, key));
    const startedAt = performance.now();
    const latencyMs = () => performance.now() - startedAt;
    try {
      const { items, total } = await this.remote.listDatasets(endpoint, { page: 1, pageSize: 1 }, signal);
      const message =
        total === 0
          ? 'The source answers and lists no datasets.'
          : `The source answers and lists ${total} dataset${total === 1 ? '' : 's'}.`;
      return { failure: null, message, latencyMs: latencyMs(), total, sample: items[0] ?? null };
    } catch (error) {
      const failure = sourceFailureOf(error);
      if (failure === null) throw error;
      return {
        failure,
        message: (error as Error).message,
        latencyMs: latencyMs(),
        total: null,
        sample: null,
      };
    }
  }

  async listRemote(
    caller: Caller,
    key: string,
    query: StdParams & { readonly updatedAfter: Date | null },
    signal: AbortSignal,
  ): Promise<Page<RemoteDataset>> {
    const list = toListQuery(query, ['id']);
    const endpoint = await this.openEnabled(caller, key);
    const { items, total } = await this.remote.listDatasets(
      endpoint,
      {
        page: list.page,
        pageSize: list.pageSize,
        ...(query.updatedAfter ? { updatedAfter: query.updatedAfter } : {}),
      },
      signal,
    );
    return toPage(list, items, total);
  }

  /** @throws AppError not_found, conflict when the source is disabled */
  async openEnabled(caller: Caller, key: string): Promise<RemoteEndpoint> {
    const source = await this.read(caller, key);
    assertEnabled(source);
    return this.endpointOf(caller, source);
  }

  private endpointOf(caller: Caller, source: SourceRow): RemoteEndpoint {
    return remoteEndpointOf(this.keys, caller.tenant.tenantId, source);
  }
}
