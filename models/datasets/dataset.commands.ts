import { conflict, notFound } from '../../core/errors/app-error.js';
import { requireLine } from '../../core/text/line-text.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { ANY_MULTIPART, LAST_JOIN_S } from '../objects/loose-object.repository.js';
import { dispatchAll } from '../orm/dispatch.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ValidationReport, ValidationStatus } from './dataset.types.js';
import { bookRevalidation, type LockedDataset, lockDataset } from './dataset-change.commands.js';
import { keyFromName, numberedKey } from './dataset-key.rules.js';
import { type DatasetUsers, findUsersOfDataset, forgetValidationDataset } from './dataset-usage.repository.js';
import { uploadWorkflowId, validationWorkflowId } from './dataset-work.types.js';
import { lockVersions, removeUnusedVersions } from './unused-versions.repository.js';

export interface NewDataset {
  readonly key: string;
  readonly name: string;
  readonly modality: string;
  readonly source: string;
  readonly schemaVersion: string | null;
  readonly recordCount: number;
  readonly sizeBytes: number;
  readonly format: string;
  readonly keyFields: ReadonlyArray<Record<string, unknown>>;
  readonly variables: readonly unknown[];
  readonly storageUri: string | null;
  readonly validationStatus: ValidationStatus;
  readonly validation: ValidationReport | null;
}

const target = (dataset: { key: string; name: string }) => ({ kind: 'dataset', id: dataset.key, label: dataset.name });

/** @throws AppError conflict when the id is taken */
export async function createDataset(tx: TenantTransaction, actor: Actor, dataset: NewDataset): Promise<void> {
  if (!(await insertDataset(tx, actor, dataset))) throw conflict('A dataset with this id exists already; choose another id.', { id: dataset.key });
  await audit(tx, tx.tenantId, actor, { action: 'dataset.create', target: target(dataset) });
}

const MAX_TRIES = 50;

/**
 * Creates an empty dataset whose id is made from its name.
 * @param detail what its audit row tells beside that, where more than the dataset is made in this transaction
 * @returns the id
 */
export async function createDraft(
  tx: TenantTransaction,
  actor: Actor,
  draft: { name: string; modality: string; source: string },
  detail: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const stem = keyFromName(draft.name);
  for (const key of await freeKeys(tx, stem)) {
    const dataset: NewDataset = {
      ...draft,
      key,
      schemaVersion: null,
      recordCount: 0,
      sizeBytes: 0,
      format: 'images',
      keyFields: [],
      variables: [],
      storageUri: null,
      validationStatus: 'PENDING',
      validation: null,
    };
    if (!(await insertDataset(tx, actor, dataset))) continue;
    await audit(tx, tx.tenantId, actor, { action: 'dataset.create', target: target(dataset), detail: { draft: true, ...detail } });
    return key;
  }
  throw conflict('No free id could be made from this name; create the dataset with an id of your own.');
}

/** Ids that nobody has: the first few free numbers, then those after the highest one in use. At most MAX_TRIES. */
async function freeKeys(tx: TenantTransaction, stem: string): Promise<string[]> {
  const near = numbersFrom(1).map((n) => numberedKey(stem, n));
  const taken = await tx.query<{ key: string }>('select key from dataset where tenant_id = $1 and key = any($2)', [tx.tenantId, near]);
  const used = new Set(taken.map((row) => row.key));
  const free = near.filter((key) => !used.has(key));
  if (free.length > MAX_TRIES / 2) return free;
  const [highest] = await tx.query<{ n: number }>(
    `select coalesce(max(substring(key from char_length($2::text) + 2)::int), 1) as n from dataset
     where tenant_id = $1 and starts_with(key, $2::text || '-') and substring(key from char_length($2::text) + 2) ~ '^[1-9][0-9]{0,8}$'`,
    [tx.tenantId, stem],
  );
  const beyond = numbersFrom(Math.max(highest?.n ?? 1, MAX_TRIES) + 1).map((n) => numberedKey(stem, n));
  return [...free, ...beyond].slice(0, MAX_TRIES);
}

const numbersFrom = (first: number): number[] => Array.from({ length: MAX_TRIES }, (_, at) => first + at);

async function insertDataset(tx: TenantTransaction, actor: Actor, dataset: NewDataset): Promise<boolean> {
  requireLine(dataset.name, 'name');
  const inserted = await tx.execute(
    `insert into dataset (tenant_id, key, name, modality, source, schema_version, declared_records, declared_bytes, format, key_fields, variables, storage_uri, validation_status, validation, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict (tenant_id, key) do nothing`,
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

export interface DatasetChanges {
  readonly name?: string;
  readonly source?: string;
  readonly modality?: string;
}

/** Changes what people call it; files and frozen state stay. @throws AppError not_found */
export async function updateDataset(tx: TenantTransaction, actor: Actor, key: string, changes: DatasetChanges): Promise<void> {
  requireLine(changes.name, 'name');
  const updated = await tx.query<{ key: string; name: string }>(
    `update dataset set name = coalesce($3, name), source = coalesce($4, source), modality = coalesce($5, modality), updated_at = now() where tenant_id = $1 and key = $2 returning key, name`,
    [tx.tenantId, key, changes.name ?? null, changes.source ?? null, changes.modality ?? null],
  );
  if (!updated[0]) throw notFound('Dataset');
  await audit(tx, tx.tenantId, actor, { action: 'dataset.update', target: target(updated[0]), detail: { fields: Object.keys(changes) } });
}

/** Reads and validates all files again, or the annotation files alone, at once. @throws AppError not_found; conflict when there are none */
export async function revalidateDataset(tx: TenantTransaction, actor: Actor, key: string, which: 'all' | 'annotations'): Promise<void> {
  const dataset = await lockDataset(tx, key);
  // Without files there is nothing to end the validation that would be booked.
  if (dataset.file_count === 0) throw conflict('The dataset has no files to validate; upload some first, which validates them too.');
  await bookRevalidation(tx, dataset, which);
  await audit(tx, tx.tenantId, actor, { action: which === 'all' ? 'dataset.revalidate' : 'dataset.revalidate_annotations', target: target(dataset) });
}

/**
 * Removes the dataset, its files and its upload sessions. Objects go once the transaction is durable, except those that
 * held versions contain: they go with the last hold. The audit row tells how many bytes go now and how many later.
 * @param ended the sync that was cancelled for it, with the bytes that it had stored and that go too
 * @throws AppError not_found; conflict while a sync runs, and naming the users when it is in use and `force` is false
 */
export async function deleteDataset(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  force: boolean,
  ended: { readonly id: string; readonly bytes: number } | null = null,
): Promise<void> {
  const dataset = await lockDataset(tx, key);
  if (dataset.active_sync_id !== null)
    throw conflict('A sync of this dataset runs; cancel it first, or delete the dataset with force=true, which cancels it.', { sync_id: dataset.active_sync_id });
  await allowLongStatements(tx);
  await usersOf(tx, dataset, force);
  await lockSessions(tx, dataset.id);
  await cancelWork(tx, dataset);
  const files = await freeFiles(tx, dataset);
  const uploads = await freeUploads(tx, dataset.id);
  await tx.execute('delete from dataset where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id]);
  const versions = await lockVersions(tx, dataset.id);
  // Endpoints that were given it meanwhile kept its row (`keepDataset`), runs a version: both were waited for, no more can come.
  const users = await usersOf(tx, dataset, force);
  await forgetValidationDataset(tx, dataset.key);
  await removeUnusedVersions(tx, versions);
  const freed = { freed_bytes: files.freed + uploads.bytes + (ended?.bytes ?? 0), held_bytes: files.held, canceled_uploads: uploads.sessions, canceled_sync: ended?.id ?? null };
  await audit(tx, tx.tenantId, actor, { action: 'dataset.delete', target: target(dataset), detail: { files: dataset.file_count, ...freed, force, ...users } });
}

/** @throws AppError conflict naming them, unless `force` */
async function usersOf(tx: TenantTransaction, dataset: LockedDataset, force: boolean): Promise<DatasetUsers> {
  const users = await findUsersOfDataset(tx, dataset);
  if (users.users_total > 0 && !force) throw conflict('The dataset is used by training runs or endpoints; delete it with force=true to do it all the same.', { ...users });
  return users;
}

/** Chunks are acknowledged under their session's lock alone: the statements after this one see all that ever will be. */
async function lockSessions(tx: TenantTransaction, datasetId: string): Promise<void> {
  await tx.query("select 1 from dataset_upload where tenant_id = $1 and dataset_id = $2 and state in ('open', 'assembling') order by id for update", [tx.tenantId, datasetId]);
}

async function cancelWork(tx: TenantTransaction, dataset: LockedDataset): Promise<void> {
  const ids: string[] = [];
  if (dataset.validation_active) ids.push(validationWorkflowId({ tenantId: tx.tenantId, datasetId: dataset.id, attempt: dataset.validation_attempt }));
  const uploads = await tx.query<{ id: string }>("select id from dataset_upload where tenant_id = $1 and dataset_id = $2 and state = 'assembling'", [tx.tenantId, dataset.id]);
  for (const upload of uploads) ids.push(uploadWorkflowId({ tenantId: tx.tenantId, uploadId: upload.id }));
  await dispatchAll(
    tx,
    ids.map((workflowId) => ({ kind: 'cancel', tenantId: tx.tenantId, workflowId })),
  );
}

/** @returns bytes that go now, and bytes that held versions keep */
async function freeFiles(tx: TenantTransaction, dataset: LockedDataset): Promise<{ freed: number; held: number }> {
  const [bytes] = await tx.query<{ all_bytes: number; held_bytes: number }>(
    `with held as (select max(v.revision) as revision from dataset_version v join dataset_hold h on h.tenant_id = v.tenant_id and h.version_id = v.id
       where v.tenant_id = $1 and v.dataset_id = $2),
     gone as (delete from dataset_file where tenant_id = $1 and dataset_id = $2 returning object_key, preview_key, size_bytes, added_revision),
     files as (insert into loose_object (tenant_id, object_key, dataset_id, from_revision, to_revision, due_at) select $1, object_key, $2, added_revision, $3, now() from gone),
     previews as (insert into loose_object (tenant_id, object_key, due_at) select $1, preview_key, now() from gone where preview_key is not null)
     select coalesce(sum(size_bytes), 0)::bigint as all_bytes,
       coalesce(sum(size_bytes) filter (where added_revision <= held.revision), 0)::bigint as held_bytes from gone cross join held`,
    [tx.tenantId, dataset.id, dataset.revision + 1],
  );
  const held = bytes?.held_bytes ?? 0;
  return { freed: (bytes?.all_bytes ?? 0) - held, held };
}

/**
 * Sessions end with their dataset. Those that are done gave their object to a file; the others still own theirs: chunks, or
 * an archive, which is stored whole. An object that is being assembled may come into being after this: it goes once none can.
 */
async function freeUploads(tx: TenantTransaction, datasetId: string): Promise<{ sessions: number; bytes: number }> {
  const [freed] = await tx.query<{ sessions: number; bytes: number }>(
    `with live as (select tenant_id, id, object_key, is_archive, size_bytes, state = 'assembling' and not is_archive as is_joined from dataset_upload where tenant_id = $1 and dataset_id = $2 and state in ('open', 'assembling')),
     chunks as (select c.object_key, c.size_bytes from dataset_upload_chunk c join live on live.tenant_id = c.tenant_id and live.id = c.upload_id),
     owned as (
       select object_key, '${ANY_MULTIPART}' as multipart_id, now() + make_interval(secs => case when is_joined then $3 else 0 end) as due_at from live
       union all select object_key, null, now() from chunks where object_key is not null),
     freed as (
       insert into loose_object (tenant_id, object_key, multipart_id, due_at) select $1, object_key, multipart_id, due_at from owned
       on conflict (object_key) do update set due_at = excluded.due_at, multipart_id = coalesce(excluded.multipart_id, loose_object.multipart_id))
     select (select count(*) from live) as sessions,
       ((select coalesce(sum(size_bytes), 0) from chunks) + (select coalesce(sum(size_bytes) filter (where is_archive), 0) from live))::bigint as bytes`,
    [tx.tenantId, datasetId, LAST_JOIN_S],
  );
  return freed ?? { sessions: 0, bytes: 0 };
}
