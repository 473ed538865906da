import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import type { PlatformTransaction, TenantTransaction } from '../orm/transaction.js';
import type { EndpointRow, EndpointStatus, EndpointValidation, EndpointWish } from './serving.types.js';

interface Row {
  id: string;
  name: string;
  image_id: string;
  repository: string;
  manifest_digest: string | null;
  replicas: number;
  ready_replicas: number;
  gpu: number;
  status: EndpointStatus;
  status_message: string | null;
  wish: EndpointWish;
  revision: number;
  attempt: number;
  workload_id: string;
  sealed_credential: string;
  instances: string[];
  validation_dataset_id: string | null;
  validation: EndpointValidation | null;
  last_heartbeat_at: Date | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

const SELECT = `select e.id, e.name, e.image_id, i.repository, i.manifest_digest, e.replicas, e.ready_replicas, e.gpu, e.status, e.status_message, e.wish, e.revision, e.attempt,
  e.workload_id, e.sealed_credential, e.instances, e.validation_dataset_id, e.validation, e.last_heartbeat_at, e.created_by, e.created_at, e.updated_at
  from serving_endpoint e join image i on i.tenant_id = e.tenant_id and i.id = e.image_id where e.tenant_id = $1`;

export async function findEndpoint(tx: TenantTransaction, name: string): Promise<EndpointRow | null> {
  return one(await tx.query<Row>(`${SELECT} and e.name = $2`, [tx.tenantId, name]));
}

/** Orders to one endpoint come one after the other, and none between a look at it and what is written of it. */
export async function lockEndpoint(tx: TenantTransaction, name: string): Promise<EndpointRow | null> {
  return one(await tx.query<Row>(`${SELECT} and e.name = $2 for update of e`, [tx.tenantId, name]));
}

export async function findEndpointById(tx: TenantTransaction, id: string): Promise<EndpointRow | null> {
  return one(await tx.query<Row>(`${SELECT} and e.id = $2`, [tx.tenantId, id]));
}

/** By name, at most MAX_PLAIN_LIST, with the true total. */
export async function listEndpoints(tx: TenantTransaction): Promise<{ items: EndpointRow[]; total: number }> {
  const rows = await tx.query<Row>(`${SELECT} order by e.name limit $2`, [tx.tenantId, MAX_PLAIN_LIST]);
  if (rows.length < MAX_PLAIN_LIST) return { items: rows.map(toEndpoint), total: rows.length };
  const [count] = await tx.query<{ total: number }>('select count(*) as total from serving_endpoint where tenant_id = $1', [tx.tenantId]);
  return { items: rows.map(toEndpoint), total: count?.total ?? rows.length };
}

/** Names of the endpoints that serve images of these versions, by version id. */
export async function endpointsOfVersions(tx: TenantTransaction, versionIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ version_id: string; names: string[] }>(
    `select i.model_version_id as version_id, array_agg(e.name order by e.name) as names from serving_endpoint e join image i on i.tenant_id = e.tenant_id and i.id = e.image_id
     where e.tenant_id = $1 and i.model_version_id = any($2) group by i.model_version_id`,
    [tx.tenantId, versionIds],
  );
  return new Map(rows.map((row) => [row.version_id, row.names]));
}

export interface EndpointFinding {
  readonly status: EndpointStatus;
  readonly message: string | null;
  readonly instances: readonly string[];
}

/**
 * Writes what a look has found, unless people ordered something else meanwhile.
 * @param revision the wish that the look was made for
 * @returns false when the wish has changed: look again
 */
export async function recordFinding(tx: TenantTransaction, id: string, revision: number, finding: EndpointFinding, at: Date): Promise<boolean> {
  const changed = await tx.execute(
    `update serving_endpoint set status = $4, status_message = $5, instances = $6, ready_replicas = $7, last_heartbeat_at = $8,
       wish = case when $4 = 'FAILED' then 'none' when $4 = 'STOPPED' then 'stop' else wish end,
       updated_at = case when status = $4 then updated_at else now() end
     where tenant_id = $1 and id = $2 and revision = $3`,
    [tx.tenantId, id, revision, finding.status, finding.message?.slice(0, 1000) ?? null, JSON.stringify(finding.instances), finding.instances.length, at],
  );
  return changed > 0;
}

/** Removes the row of an endpoint that is to go. @returns false when that is no longer so */
export async function removeEndpoint(tx: TenantTransaction, id: string): Promise<boolean> {
  return (await tx.execute("delete from serving_endpoint where tenant_id = $1 and id = $2 and wish = 'delete'", [tx.tenantId, id])) > 0;
}

export interface LiveEndpoint {
  readonly id: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly workloadId: string;
  readonly status: EndpointStatus;
  readonly instances: readonly string[];
}

/** Endpoints that are up or coming up, of every tenant, after `afterId`; for the watch of the worker. */
export async function listLiveEndpoints(tx: PlatformTransaction, afterId: string, limit: number): Promise<LiveEndpoint[]> {
  const rows = await tx.query<{ id: string; tenant_id: string; attempt: number; workload_id: string; status: EndpointStatus; instances: string[] }>(
    `select id, tenant_id, attempt, workload_id, status, instances from serving_endpoint
     where status in ('CONNECTING', 'RUNNING', 'DEGRADED') and wish = 'run' and id > $1 and tenant_id not in (select erased_tenant from tenant_deletion) order by id limit $2`,
    [afterId, limit],
  );
  return rows.map((row) => ({ id: row.id, tenantId: row.tenant_id, attempt: row.attempt, workloadId: row.workload_id, status: row.status, instances: row.instances }));
}

const one = (rows: Row[]): EndpointRow | null => (rows[0] ? toEndpoint(rows[0]) : null);

const toEndpoint = (row: Row): EndpointRow => ({
  id: row.id,
  name: row.name,
  imageId: row.image_id,
  repository: row.repository,
  manifestDigest: row.manifest_digest,
  replicas: row.replicas,
  readyReplicas: row.ready_replicas,
  gpu: row.gpu,
  status: row.status,
  statusMessage: row.status_message,
  wish: row.wish,
  revision: row.revision,
  attempt: row.attempt,
  workloadId: row.workload_id,
  sealedCredential: row.sealed_credential,
  instances: row.instances,
  validationDatasetId: row.validation_dataset_id,
  validation: row.validation,
  lastHeartbeatAt: row.last_heartbeat_at,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
