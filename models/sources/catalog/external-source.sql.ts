import type { TenantTransaction } from '../../orm/transaction.js';
import type { ExternalSource } from './external-source.entity.js';

export type SourceValues = Pick<
  ExternalSource,
  'id' | 'name' | 'baseUrl' | 'sealedToken' | 'description' | 'enabled' | 'createdBy'
>;

/**
 * Inserts a source under the first of these keys that is free.
 * @returns the key; null when somebody took it at the same moment
 */
export async function insertUnderFreeKey(
  tx: TenantTransaction,
  keys: readonly string[],
  source: SourceValues,
): Promise<string | null> {
  const { id, name, baseUrl, sealedToken, description, enabled, createdBy } = source;
  const [made] = await tx.rows<{ key: string }>(
    `-- set: the first of many keys; one that is taken meanwhile does not break the transaction
     insert into external_source
       (tenant_id, key, id, name, base_url, sealed_token, description, enabled, created_by)
     select $1, c.key, $3, $4, $5, $6, $7, $8, $9 from unnest($2::text[]) with ordinality as c (key, place)
     where not exists (select 1 from external_source s where s.tenant_id = $1 and s.key = c.key)
     order by c.place limit 1
     on conflict (tenant_id, key) do nothing returning key`,
    [tx.tenantId, keys, id, name, baseUrl, sealedToken, description, enabled, createdBy],
  );
  return made?.key ?? null;
}

/** Takes the links of all datasets to a source away. @param sourceId row id */
export async function unlinkAllDatasets(tx: TenantTransaction, sourceId: string): Promise<void> {
  await tx.execute(
    `-- set: every dataset that is linked to the source
     with unlinked as (
       delete from dataset_source where tenant_id = $1 and source_id = $2 returning dataset_id)
     update dataset set external_source = null, updated_at = now() from unlinked
     where dataset.tenant_id = $1 and dataset.id = unlinked.dataset_id`,
    [tx.tenantId, sourceId],
  );
}
