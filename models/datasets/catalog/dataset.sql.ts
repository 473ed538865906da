import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { NewDataset } from './new-dataset.types.js';

/** @returns false where the id is taken */
export async function insertDataset(
  tx: TenantTransaction,
  actor: Actor,
  dataset: NewDataset & { readonly source: string },
): Promise<boolean> {
  const inserted = await tx.execute(
    `-- set: an id that is taken is no error, so the next one can be tried
     insert into dataset (tenant_id, key, name, modality, source, schema_version, declared_records,
       declared_bytes, format, key_fields, variables, storage_uri, validation_status, validation, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (tenant_id, key) do nothing`,
    [
      tx.tenantId,
      dataset.key,
      dataset.name,
      dataset.modality,
      dataset.source,
      dataset.schemaVersion,
      dataset.recordCount,
      dataset.sizeBytes,
      dataset.format,
      JSON.stringify(dataset.keyFields),
      JSON.stringify(dataset.variables),
      dataset.storageUri,
      dataset.validationStatus,
      dataset.validation === null ? null : JSON.stringify(dataset.validation),
      actor.id,
    ],
  );
  return inserted === 1;
}

/** The highest n of ids that are `stem-n`; 1 where there is none. */
export async function highestNumber(tx: TenantTransaction, stem: string): Promise<number> {
  const [highest] = await tx.rows<{ n: number }>(
    `select coalesce(max(substring(key from char_length($2::text) + 2)::int), 1) as n from dataset
     where tenant_id = $1 and starts_with(key, $2::text || '-')
       and substring(key from char_length($2::text) + 2) ~ '^[1-9][0-9]{0,8}$'`,
    [tx.tenantId, stem],
  );
  return highest?.n ?? 1;
}
