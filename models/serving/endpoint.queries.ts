import { sql } from 'kysely';
import { MAX_PLAIN_LIST } from '../../core/paging/page.js';
import { anyOf } from '../orm/any-of.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { EndpointRow } from './serving.types.js';

const endpoints = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('serving_endpoint as e')
    .innerJoin('image as i', (join) =>
      join.onRef('i.tenantId', '=', 'e.tenantId').onRef('i.id', '=', 'e.imageId'),
    )
    .leftJoin('model_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'i.tenantId').onRef('v.id', '=', 'i.modelVersionId'),
    )
    .where('e.tenantId', '=', tx.tenantId);

const rows = (tx: TenantTransaction) =>
  endpoints(tx)
    .leftJoin('model as m', (join) =>
      join.onRef('m.tenantId', '=', 'v.tenantId').onRef('m.id', '=', 'v.modelId'),
    )
    .select([
      'e.id',
      'e.name',
      'e.imageId',
      'i.repository',
      'i.manifestDigest',
      'v.licence',
      'm.name as modelName',
      'v.version as modelVersion',
      'e.replicas',
      'e.readyReplicas',
      'e.gpu',
      'e.status',
      'e.statusMessage',
      'e.wish',
      'e.revision',
      'e.attempt',
      'e.workloadId',
      'e.sealedCredential',
      'e.instances',
      'e.validationDatasetId',
      'e.validation',
      'e.lastHeartbeatAt',
      'e.createdBy',
      'e.createdAt',
      'e.updatedAt',
    ]);

export async function findEndpoint(tx: TenantTransaction, name: string): Promise<EndpointRow | null> {
  return (await rows(tx).where('e.name', '=', name).executeTakeFirst()) ?? null;
}

export async function findEndpointById(tx: TenantTransaction, id: string): Promise<EndpointRow | null> {
  return (await rows(tx).where('e.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * By name, at most MAX_PLAIN_LIST, with the true total.
 * @param datasetDigest only those that serve a version made from data with this digest; null: all
 */
export async function listEndpoints(
  tx: TenantTransaction,
  datasetDigest: string | null = null,
): Promise<{ items: EndpointRow[]; total: number }> {
  const items = await rows(tx)
    .$if(datasetDigest !== null, (all) => all.where('v.datasetDigest', '=', datasetDigest))
    .orderBy('e.name')
    .limit(MAX_PLAIN_LIST)
    .execute();
  if (items.length < MAX_PLAIN_LIST) return { items, total: items.length };
  const { total } = await endpoints(tx)
    .$if(datasetDigest !== null, (all) => all.where('v.datasetDigest', '=', datasetDigest))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items, total };
}

/** Names of the endpoints that serve images of these versions, by version id. */
export async function endpointsOfVersions(
  tx: TenantTransaction,
  versionIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await endpoints(tx)
    .where('i.modelVersionId', '=', anyOf(versionIds))
    .groupBy('i.modelVersionId')
    .select(['i.modelVersionId', sql<string[]>`array_agg(e.name order by e.name)`.as('names')])
    .execute();
  return new Map(found.map((row) => [row.modelVersionId as string, row.names]));
}

/** Last smoke of each endpoint that serves the version, by name. */
export const smokesOfVersion = (tx: TenantTransaction, versionId: string) =>
  endpoints(tx)
    .where('i.modelVersionId', '=', versionId)
    .orderBy('e.name')
    .select(['e.name', 'e.validation'])
    .execute();
