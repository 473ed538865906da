import { sql } from 'kysely';
import { audit } from '../../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../audit/audit.types.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import { adoptObjects, giveUpObjects } from '../../objects/orphaned-object.commands.js';
import { allowLongStatements } from '../../orm/long-statements.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AnnotationFormat } from '../../../formats/annotations/annotation.types.js';
import type { ClassCount, SplitCounts, TaskClasses, ValidationReport } from '../catalog/dataset.types.js';
import type { NextPass, ValidationInput } from '../catalog/dataset-work.types.js';
import { Dataset, DatasetVersion } from '../catalog/dataset.entity.js';
import { countPending } from './dataset-validation.queries.js';
import { reopenFiles } from './file-check.sql.js';
import { waitForQuietMs } from './quiet-time.rules.js';

const activeRow = (tx: TenantTransaction, input: ValidationInput) =>
  tx.kysely
    .selectFrom('dataset')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', input.datasetId)
    .where('validationActive', '=', true)
    .where('validationAttempt', '=', input.attempt);

interface ActiveDataset {
  readonly dataset: Dataset;
  /** When the next pass is due, by the clock of the database; null: nothing to validate. */
  readonly dueInMs: number | null;
}

/** Locks the row; null when the dataset is gone or another validation took over. */
async function lockActive(tx: TenantTransaction, input: ValidationInput): Promise<ActiveDataset | null> {
  const locked = await activeRow(tx, input)
    .select(
      sql<number | null>`ceil(extract(epoch from validate_after - clock_timestamp()) * 1000)::float8`.as(
        'dueInMs',
      ),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  const dataset = locked && (await tx.em.findOne(Dataset, { id: input.datasetId }, { refresh: true }));
  return dataset ? { dataset, dueInMs: locked.dueInMs } : null;
}

const recheckOf = (
  dataset: Pick<Dataset, 'recheckAll' | 'recheckAnnotations'>,
): 'all' | 'annotations' | null =>
  dataset.recheckAll ? 'all' : dataset.recheckAnnotations ? 'annotations' : null;

/**
 * Reopens some of the files that are to be read again, without the dataset's lock: uploads need not wait for a million
 * rows. The wish stays until `beginPass`, which reopens what is left. @returns false when nothing is
 */
export async function reopenSome(
  tx: TenantTransaction,
  input: ValidationInput,
  limit: number,
): Promise<boolean> {
  const row = await activeRow(tx, input).select(['recheckAll', 'recheckAnnotations']).executeTakeFirst();
  const which = row && recheckOf(row);
  return which ? (await reopenFiles(tx, input.datasetId, which, limit)) === limit : false;
}

/**
 * Decides what the validation does next: wait for quiet, begin a pass, or end. Idempotent.
 * @param quietMs time without a change that is enough, at most what changes of files ask for
 */
export async function beginPass(
  tx: TenantTransaction,
  input: ValidationInput,
  quietMs?: number,
): Promise<NextPass> {
  const active = await lockActive(tx, input);
  if (!active) return { kind: 'end' };
  const { dataset, dueInMs } = active;
  if (dueInMs === null) {
    dataset.validationActive = false;
    await tx.em.flush();
    return { kind: 'end' };
  }
  const waitMs = waitForQuietMs(dueInMs, quietMs);
  if (waitMs > 0) return { kind: 'wait', waitMs };
  await allowLongStatements(tx);
  const recheck = recheckOf(dataset);
  if (recheck) await reopenFiles(tx, dataset.id, recheck, null);
  const pending = await countPending(tx, dataset.id);
  Object.assign(dataset, {
    status: 'VALIDATING',
    validationStatus: 'RUNNING',
    recheckAll: false,
    recheckAnnotations: false,
    validationChecked: dataset.fileCount - pending,
  } satisfies Partial<Dataset>);
  await tx.em.flush();
  return { kind: 'pass', revision: dataset.revision, pending };
}

/** True while the pass still speaks of the dataset as it is. */
export async function isPassCurrent(
  tx: TenantTransaction,
  input: ValidationInput,
  revision: number,
): Promise<boolean> {
  const row = await activeRow(tx, input).select('id').where('revision', '=', revision).executeTakeFirst();
  return row !== undefined;
}

/** Counts files as read, unless the dataset changed meanwhile. */
export async function addProgress(
  tx: TenantTransaction,
  input: ValidationInput,
  revision: number,
  files: number,
): Promise<void> {
  const active = await lockActive(tx, input);
  if (active?.dataset.revision !== revision) return;
  active.dataset.validationChecked += files;
  await tx.em.flush();
}

const ended = { validationActive: false, validateAfter: null };

/** Ends the pass with errors; an empty dataset stays DRAFT. @returns false when the dataset changed meanwhile */
export async function failValidation(
  tx: TenantTransaction,
  input: ValidationInput,
  revision: number,
  report: ValidationReport,
): Promise<boolean> {
  const dataset = (await lockActive(tx, input))?.dataset;
  if (dataset?.revision !== revision) return false;
  const isEmpty = dataset.fileCount === 0;
  Object.assign(dataset, {
    ...ended,
    ...(isEmpty
      ? { status: 'DRAFT', validationStatus: 'PENDING' }
      : { status: 'FAILED', validationStatus: 'FAILED', validation: report, updatedAt: new Date() }),
  } satisfies Partial<Dataset>);
  await tx.em.flush();
  if (isEmpty) return true;
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'dataset.validate',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    outcome: 'failed',
  });
  await notify(
    tx,
    tx.tenantId,
    messages.datasetInvalid({ id: dataset.key, name: dataset.name, createdBy: dataset.createdBy ?? null }),
  );
  return true;
}

export interface Freeze {
  readonly digest: string;
  /** Recorded before it was written. */
  readonly manifestKey: string;
  /** Classes by folder; none where they are too many. */
  readonly classes: readonly ClassCount[];
  readonly format: AnnotationFormat;
  readonly tasks: TaskClasses;
  readonly splits: SplitCounts;
  /** The kind that all its content is of, for `format`; null for a mixture. */
  readonly soleKind: 'images' | 'tabular' | null;
  /** Null without tables. */
  readonly tables: {
    readonly columns: ReadonlyArray<Readonly<Record<'name' | 'dtype', string> & { nullable: boolean }>>;
    readonly rows: number | null;
  } | null;
  readonly report: ValidationReport;
}

/** Ends the pass without errors: the dataset is FROZEN with its digest and manifest. @returns false when it changed meanwhile */
export async function freezeDataset(
  tx: TenantTransaction,
  input: ValidationInput,
  revision: number,
  freeze: Freeze,
): Promise<boolean> {
  const dataset = (await lockActive(tx, input))?.dataset;
  if (dataset?.revision !== revision) {
    await giveUpObjects(tx, [freeze.manifestKey]);
    return false;
  }
  await adoptObjects(tx, [freeze.manifestKey]);
  const saysKind = dataset.format === 'images' || dataset.format === 'tabular';
  Object.assign(dataset, {
    ...ended,
    status: 'FROZEN',
    validationStatus: 'PASSED',
    validation: freeze.report,
    versionId: await addVersion(tx, dataset, freeze),
    tableColumns: freeze.tables?.columns ?? [],
    tableRows: freeze.tables?.rows ?? null,
    format: (saysKind && freeze.soleKind) || dataset.format,
    updatedAt: new Date(),
  } satisfies Partial<Dataset>);
  await tx.em.flush();
  await audit(tx, tx.tenantId, SYSTEM_ACTOR, {
    action: 'dataset.freeze',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    detail: { digest: freeze.digest, files: dataset.fileCount },
  });
  await notify(
    tx,
    tx.tenantId,
    messages.datasetValidated(
      { id: dataset.key, name: dataset.name, createdBy: dataset.createdBy ?? null },
      dataset.fileCount,
    ),
  );
  return true;
}

async function addVersion(tx: TenantTransaction, dataset: Dataset, freeze: Freeze): Promise<string> {
  const version = tx.em.create(DatasetVersion, {
    tenantId: tx.tenantId,
    datasetId: dataset.id,
    datasetKey: dataset.key,
    datasetName: dataset.name,
    revision: dataset.revision,
    digest: freeze.digest,
    manifestKey: freeze.manifestKey,
    fileCount: dataset.fileCount,
    sizeBytes: dataset.fileBytes,
    classes: freeze.classes,
    annotationFormat: freeze.format,
    tasks: freeze.tasks,
    splits: freeze.splits,
  });
  await tx.em.flush();
  return version.id;
}

/**
 * The work ended before its time: the row says why, and the next change or revalidation starts anew. Idempotent. Where it ended
 * while it waited for a pass, that pass begins and fails.
 */
export async function abandonValidation(
  tx: TenantTransaction,
  input: ValidationInput,
  report: ValidationReport,
): Promise<void> {
  const dataset = (await lockActive(tx, input))?.dataset;
  if (!dataset) return;
  if (dataset.status !== 'VALIDATING' && dataset.fileCount > 0) {
    Object.assign(dataset, { status: 'VALIDATING', validationStatus: 'RUNNING' } satisfies Partial<Dataset>);
    await tx.em.flush();
  }
  await failValidation(tx, input, dataset.revision, report);
}
