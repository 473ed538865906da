import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import { adoptObjects } from '../objects/loose-object.repository.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { AnnotationFormat } from './annotations/annotation.types.js';
import type { ClassCount, SplitCounts, TaskClasses, ValidationReport } from './dataset.types.js';
import type { NextPass, ValidationInput } from './dataset-work.types.js';
import { countPending, reopenFiles } from './dataset-validation.repository.js';

interface State {
  id: string;
  key: string;
  name: string;
  revision: number;
  status: string;
  validation_active: boolean;
  validation_attempt: number;
  recheck_all: boolean;
  recheck_annotations: boolean;
  wait_ms: number | null;
  file_count: number;
  file_bytes: number;
  created_by: string | null;
}

/** Null when the dataset is gone or another validation took over. */
async function lockActive(tx: TenantTransaction, input: ValidationInput): Promise<State | null> {
  const [row] = await tx.query<State>(
    `select id, key, name, revision, status, validation_active, validation_attempt, recheck_all, recheck_annotations, file_count, file_bytes, created_by,
       ceil(extract(epoch from validate_after - clock_timestamp()) * 1000)::float8 as wait_ms
     from dataset where tenant_id = $1 and id = $2 for no key update`,
    [tx.tenantId, input.datasetId],
  );
  return row?.validation_active && row.validation_attempt === input.attempt ? row : null;
}

const recheckOf = (dataset: Pick<State, 'recheck_all' | 'recheck_annotations'>): 'all' | 'annotations' | null =>
  dataset.recheck_all ? 'all' : dataset.recheck_annotations ? 'annotations' : null;

/**
 * Reopens some of the files that are to be read again, without the dataset's lock: uploads need not wait for a million
 * rows. The wish stays until `beginPass`, which reopens what is left. @returns false when nothing is
 */
export async function reopenSome(tx: TenantTransaction, input: ValidationInput, limit: number): Promise<boolean> {
  const [row] = await tx.query<Pick<State, 'recheck_all' | 'recheck_annotations'>>(
    'select recheck_all, recheck_annotations from dataset where tenant_id = $1 and id = $2 and validation_active and validation_attempt = $3',
    [tx.tenantId, input.datasetId, input.attempt],
  );
  const which = row && recheckOf(row);
  return which ? (await reopenFiles(tx, input.datasetId, which, limit)) === limit : false;
}

/** Decides what the validation does next: wait for quiet, begin a pass, or end. Idempotent. */
export async function beginPass(tx: TenantTransaction, input: ValidationInput): Promise<NextPass> {
  const dataset = await lockActive(tx, input);
  if (!dataset) return { kind: 'end' };
  if (dataset.wait_ms === null) {
    await tx.execute('update dataset set validation_active = false where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id]);
    return { kind: 'end' };
  }
  if (dataset.wait_ms > 0) return { kind: 'wait', waitMs: dataset.wait_ms };
  await allowLongStatements(tx);
  const recheck = recheckOf(dataset);
  if (recheck) await reopenFiles(tx, dataset.id, recheck, null);
  const pending = await countPending(tx, dataset.id);
  await tx.execute(
    "update dataset set status = 'VALIDATING', validation_status = 'RUNNING', recheck_all = false, recheck_annotations = false, validation_checked = $3 where tenant_id = $1 and id = $2",
    [tx.tenantId, dataset.id, dataset.file_count - pending],
  );
  return { kind: 'pass', revision: dataset.revision, pending };
}

/** True while the pass still speaks of the dataset as it is. */
export async function isPassCurrent(tx: TenantTransaction, input: ValidationInput, revision: number): Promise<boolean> {
  const [row] = await tx.query<{ current: boolean }>(
    'select validation_active and validation_attempt = $3 and revision = $4 as current from dataset where tenant_id = $1 and id = $2',
    [tx.tenantId, input.datasetId, input.attempt, revision],
  );
  return row?.current === true;
}

export async function addProgress(tx: TenantTransaction, input: ValidationInput, revision: number, files: number): Promise<void> {
  await tx.execute('update dataset set validation_checked = validation_checked + $4 where tenant_id = $1 and id = $2 and revision = $3', [
    tx.tenantId,
    input.datasetId,
    revision,
    files,
  ]);
}

/** Ends the pass with errors; an empty dataset stays DRAFT (DECISIONS B9). @returns false when the dataset changed meanwhile */
export async function failValidation(tx: TenantTransaction, input: ValidationInput, revision: number, report: ValidationReport): Promise<boolean> {
  const dataset = await lockActive(tx, input);
  if (dataset?.revision !== revision) return false;
  if (dataset.file_count === 0) {
    await tx.execute("update dataset set status = 'DRAFT', validation_status = 'PENDING', validation_active = false, validate_after = null where tenant_id = $1 and id = $2", [
      tx.tenantId,
      dataset.id,
    ]);
    return true;
  }
  await tx.execute(
    `update dataset set status = 'FAILED', validation_status = 'FAILED', validation = $3, validation_active = false, validate_after = null, updated_at = now() where tenant_id = $1 and id = $2`,
    [tx.tenantId, dataset.id, JSON.stringify(report)],
  );
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, { action: 'dataset.validate', target: { kind: 'dataset', id: dataset.key, label: dataset.name }, outcome: 'failed' });
  await notify(tx, tx.tenantId, messages.datasetInvalid({ id: dataset.key, name: dataset.name, createdBy: dataset.created_by }));
  return true;
}

export interface Freeze {
  readonly digest: string;
  /** Noted before it was written. */
  readonly manifestKey: string;
  /** Classes by folder; none where they are too many. */
  readonly classes: readonly ClassCount[];
  readonly format: AnnotationFormat;
  readonly tasks: TaskClasses;
  readonly splits: SplitCounts;
  /** Null without tables. */
  readonly tables: { readonly columns: ReadonlyArray<Readonly<Record<'name' | 'dtype', string> & { nullable: boolean }>>; readonly rows: number | null } | null;
  readonly report: ValidationReport;
}

/** Ends the pass without errors: the dataset is FROZEN with its digest and manifest. @returns false when it changed meanwhile */
export async function freezeDataset(tx: TenantTransaction, input: ValidationInput, revision: number, freeze: Freeze): Promise<boolean> {
  const dataset = await lockActive(tx, input);
  if (dataset?.revision !== revision) return false;
  await adoptObjects(tx, [freeze.manifestKey]);
  await tx.execute(
    `with version as (
       insert into dataset_version (tenant_id, dataset_id, dataset_key, dataset_name, revision, digest, manifest_key, file_count, size_bytes, classes, annotation_format, tasks, splits)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $12, $13, $14) returning id)
     update dataset set status = 'FROZEN', validation_status = 'PASSED', validation = $11, version_id = version.id, table_columns = $15, table_rows = $16, validation_active = false, validate_after = null, updated_at = now()
     from version where dataset.tenant_id = $1 and dataset.id = $2`,
    [
      tx.tenantId,
      dataset.id,
      dataset.key,
      dataset.name,
      revision,
      freeze.digest,
      freeze.manifestKey,
      dataset.file_count,
      dataset.file_bytes,
      JSON.stringify(freeze.classes),
      JSON.stringify(freeze.report),
      freeze.format,
      JSON.stringify(freeze.tasks),
      JSON.stringify(freeze.splits),
      JSON.stringify(freeze.tables?.columns ?? []),
      freeze.tables?.rows ?? null,
    ],
  );
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'dataset.freeze',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    detail: { digest: freeze.digest, files: dataset.file_count },
  });
  await notify(tx, tx.tenantId, messages.datasetValidated({ id: dataset.key, name: dataset.name, createdBy: dataset.created_by }, dataset.file_count));
  return true;
}

/** The work ended before its time: the row says why, and the next change or revalidation starts anew. Idempotent. */
export async function abandonValidation(tx: TenantTransaction, input: ValidationInput, report: ValidationReport): Promise<void> {
  const dataset = await lockActive(tx, input);
  if (dataset) await failValidation(tx, input, dataset.revision, report);
}
