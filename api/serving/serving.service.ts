import { LRUCache } from 'lru-cache';
import { notFound } from '../../core/errors/app-error.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import {
  checkEndpoint,
  createEndpoint,
  deleteEndpoint,
  scaleEndpoint,
  startEndpoint,
  stopEndpoint,
} from '../../models/serving/endpoint.commands.js';
import { findEndpoint, listEndpoints } from '../../models/serving/endpoint.queries.js';
import { openEndpointCredential } from '../../models/serving/endpoint-credential.js';
import type { EndpointRow } from '../../models/serving/serving.types.js';
import { wakeEndpoints } from '../../models/serving/watched-endpoints.platform.js';
import type { HostCapabilities } from '../../models/workloads/host.platform.js';
import type { Caller } from '../http/routing/request-context.js';
import type { CreateEndpointBody } from './serving.schemas.js';

/** A lost instance is reported by every request that meets it; one check in this time is enough. */
const CHECK_EVERY_MS = 1000;

/** What people do with serving endpoints. */
export class ServingService {
  /** Endpoints, by their ids. */
  private readonly checked = new LRUCache<string, true>({ max: 1000, ttl: CHECK_EVERY_MS });

  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
    private readonly keys: KeyRing,
    private readonly hosts: HostCapabilities,
    readonly places: { readonly baseUrl: string; readonly registryHost: string },
  ) {}

  /** @param datasetDigest only endpoints of versions made from data with this digest; null: all */
  list(caller: Caller, datasetDigest: string | null): Promise<{ items: EndpointRow[]; total: number }> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => listEndpoints(tx, datasetDigest));
  }

  async read(caller: Caller, name: string): Promise<EndpointRow> {
    const endpoint = await this.find(caller, name);
    if (!endpoint) throw notFound('Serving endpoint');
    return endpoint;
  }

  async create(caller: Caller, body: CreateEndpointBody): Promise<EndpointRow> {
    const wanted = {
      name: body.name,
      imageId: body.image_id,
      replicas: body.replicas ?? 1,
      gpu: body.gpu ?? 0,
      validationDatasetId: body.validation_dataset_id ?? null,
      tenantProgramProblem: await this.hosts.originProblem('tenant'),
    };
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      createEndpoint(tx, caller.actor, this.keys, wanted),
    );
  }

  scale(caller: Caller, name: string, replicas: number): Promise<EndpointRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => scaleEndpoint(tx, caller.actor, name, replicas));
  }

  async start(caller: Caller, name: string): Promise<EndpointRow> {
    const before = await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      startEndpoint(tx, caller.actor, name),
    );
    return (await this.until(caller, before, (row) => row.status !== before.status)) ?? before;
  }

  async stop(caller: Caller, name: string): Promise<EndpointRow> {
    const before = await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      stopEndpoint(tx, caller.actor, name),
    );
    return (await this.until(caller, before, (row) => row.status === 'STOPPED')) ?? before;
  }

  async heartbeat(caller: Caller, name: string): Promise<EndpointRow> {
    const before = await this.db.inTenant(caller.tenant.tenantId, (tx) => checkEndpoint(tx, name));
    // One that rests is checked by nobody: it is as its row says.
    if (before.status === 'STOPPED' || before.status === 'FAILED') return before;
    return (
      (await this.until(
        caller,
        before,
        (row) => row.lastHeartbeatAt?.getTime() !== before.lastHeartbeatAt?.getTime(),
      )) ?? before
    );
  }

  /** @returns whether it is gone by now */
  async remove(caller: Caller, name: string): Promise<boolean> {
    const { id } = await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      deleteEndpoint(tx, caller.actor, name),
    );
    const row = await this.until(caller, { id, name }, (now) => now.id !== id);
    return row === null || row.id !== id;
  }

  /** The row and the secret that its instances ask for. */
  async target(caller: Caller, name: string): Promise<{ endpoint: EndpointRow; credential: string }> {
    const endpoint = await this.read(caller, name);
    return { endpoint, credential: openEndpointCredential(this.keys, caller.tenant.tenantId, endpoint) };
  }

  /**
   * Has an endpoint checked whose instances are not as its row says, unless something waits for its workflow already. Never
   * fails: the watch finds it as well.
   */
  async reportLost({ tenant: { tenantId } }: Caller, { id, attempt }: EndpointRow): Promise<void> {
    if (this.checked.has(id)) return;
    this.checked.set(id, true);
    await wakeEndpoints(this.db, [{ id, tenantId, attempt }]).catch(() => undefined);
  }

  private find(caller: Caller, name: string): Promise<EndpointRow | null> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => findEndpoint(tx, name));
  }

  /** The row once it is as wanted, or as it is when the time is over; null when it has gone. */
  private until(
    caller: Caller,
    { id, name }: Pick<EndpointRow, 'id' | 'name'>,
    isThere: (row: EndpointRow) => boolean,
  ): Promise<EndpointRow | null> {
    return this.states.until(
      id,
      () => this.find(caller, name),
      (row) => row === null || isThere(row),
    );
  }
}
