import { randomUUID } from 'node:crypto';
import { Slots } from '../../core/load/slots.js';
import type { Clock } from '../../core/ports/clock.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import type { TableReader } from '../../core/ports/table-reader.js';
import { asTenantId } from '../../core/security/ids.js';
import { replaceAnnotations } from '../../models/datasets/annotations/entries/annotation-facts.sql.js';
import { OBJECT_BYTES } from '../../formats/annotations/packed-objects.js';
import { countClasses, summarizeFiles } from '../../models/datasets/catalog/dataset-list.queries.js';
import {
  abandonValidation,
  addProgress,
  beginPass,
  failValidation,
  freezeDataset,
  isPassCurrent,
  reopenSome,
} from '../../models/datasets/validation/dataset-validation.commands.js';
import {
  formatNotes,
  imageStats,
  invalidFindings,
  misnamedFiles,
  type PendingFile,
  tableNotes,
  takePending,
} from '../../models/datasets/validation/dataset-validation.queries.js';
import { writeChecks } from '../../models/datasets/validation/file-check.sql.js';
import type {
  NextPass,
  PassStep,
  ValidationInput,
} from '../../models/datasets/catalog/dataset-work.types.js';
import { buildReport } from '../../models/datasets/validation/validation-report.rules.js';
import { ANY_MULTIPART, recordOrphanedObjects } from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { type Beat, withHeartbeat } from '../support/activity-context.js';
import { inParallel } from '../../core/load/in-parallel.js';
import { reportAnnotations } from './annotation-reporter.js';
import { type CheckDeps, checkFile, HELD_BYTES } from './file-checker.js';
import { manifestPages } from './manifest-pages.js';
import { computeDigest, writeManifest } from './manifest-writer.js';
import { readTableFacts } from './table-checker.js';

export interface ValidationActivityDeps {
  readonly database: Database;
  readonly objects: ObjectStore & MultipartStore;
  readonly images: ImageDecoder;
  readonly tables: TableReader;
  readonly clock: Clock;
  /** Time without a change of files after which a validation begins. */
  readonly quietMs: number;
}

export interface DatasetValidationActivities {
  /** What to do next. Idempotent. */
  nextValidationPass(input: ValidationInput): Promise<NextPass>;
  /** Reads up to `limit` pending files and writes what it found. A repeat goes on where the last one ended. */
  checkDatasetFiles(input: ValidationInput, pass: { revision: number; limit: number }): Promise<PassStep>;
  /** Ends a pass whose files are all read: FROZEN with manifest, or FAILED with a report. */
  finishValidationPass(input: ValidationInput, revision: number): Promise<PassStep>;
  abandonDatasetValidation(input: ValidationInput, message: string): Promise<void>;
}

/** Flush limit in files; a crash repeats at most this many. */
const SLICE = 100;
const AT_ONCE = 4;
const REOPEN_ROWS = 10_000;

export function createDatasetValidationActivities(deps: ValidationActivityDeps): DatasetValidationActivities {
  const inTenant = <T>(input: ValidationInput, work: (tx: TenantTransaction) => Promise<T>) =>
    deps.database.inTenant(asTenantId(input.tenantId), work);
  // What files keep in memory while they are read must not add up over the activities of a process.
  const shared = { turns: new Slots(1), memory: new Slots(HELD_BYTES) };
  return {
    nextValidationPass: (input) =>
      withHeartbeat(async ({ signal }) => {
        while (await inTenant(input, (tx) => reopenSome(tx, input, REOPEN_ROWS))) signal.throwIfAborted();
        return inTenant(input, (tx) => beginPass(tx, input, deps.quietMs));
      }),

    checkDatasetFiles: (input, { revision, limit }) =>
      withHeartbeat(async ({ signal }) => {
        for (let done = 0; done < limit; done += SLICE) {
          const files = await inTenant(input, async (tx) =>
            (await isPassCurrent(tx, input, revision)) ? takePending(tx, input.datasetId, SLICE) : null,
          );
          if (files === null) return 'changed';
          if (files.length === 0) return 'complete';
          await checkSlice(deps, input, revision, files, {
            ...shared,
            objects: deps.objects,
            images: deps.images,
            tables: deps.tables,
            tenantId: input.tenantId,
            signal,
          });
          signal.throwIfAborted();
        }
        return 'more';
      }),

    finishValidationPass: (input, revision) =>
      withHeartbeat((beat) => finishPass(deps, input, revision, beat)),

    abandonDatasetValidation: (input, message) =>
      inTenant(input, (tx) =>
        abandonValidation(tx, input, {
          checked_at: deps.clock.now().toISOString(),
          errors: [{ code: 'validation_ended', message, file_id: null }],
          warnings: [],
          stats: {},
        }),
      ),
  };
}

/** What a file's annotations may hold in memory until its slice is written; more is written at once. */
const MAX_HELD_BYTES = 256 * 1024;

async function checkSlice(
  deps: ValidationActivityDeps,
  input: ValidationInput,
  revision: number,
  files: readonly PendingFile[],
  how: CheckDeps,
): Promise<void> {
  const tenantId = asTenantId(input.tenantId);
  const written = new Set<string>();
  const findings = await inParallel(files, AT_ONCE, async (file) => {
    const found = await checkFile(how, file);
    const { annotation } = found;
    if (
      annotation === null ||
      (annotation.objectCount + annotation.imageCount) * OBJECT_BYTES + (annotation.heldBytes ?? 0) <
        MAX_HELD_BYTES
    )
      return found;
    await deps.database.inTenant(tenantId, (tx) =>
      replaceAnnotations(tx, input.datasetId, [file.id], [{ fileId: file.id, facts: annotation }]),
    );
    written.add(file.id);
    return { ...found, annotation: null };
  });
  const others = files.flatMap(({ id }) => (written.has(id) ? [] : [id]));
  const found = findings.flatMap(({ check, annotation }) =>
    annotation === null ? [] : [{ fileId: check.id, facts: annotation }],
  );
  await deps.database.inTenant(tenantId, async (tx) => {
    await writeChecks(
      tx,
      input.datasetId,
      findings.map(({ check }) => check),
    );
    await replaceAnnotations(tx, input.datasetId, others, found);
  });
  // Apart from the files' rows: who changes files locks the dataset first, and would wait for us as we for them.
  await deps.database.inTenant(tenantId, (tx) => addProgress(tx, input, revision, findings.length));
}

async function finishPass(
  deps: ValidationActivityDeps,
  input: ValidationInput,
  revision: number,
  beat: Beat,
): Promise<PassStep> {
  const tenantId = asTenantId(input.tenantId);
  const annotations = await reportAnnotations(deps.database, tenantId, input.datasetId, beat.signal);
  const facts = await deps.database.inTenant(tenantId, (tx) =>
    readFacts(tx, input.datasetId, deps.clock.now()),
  );
  const report = buildReport({ ...facts, more: annotations });
  const { format, tasks, splits } = annotations;
  if (report.errors.length > 0 || format === null)
    return (await deps.database.inTenant(tenantId, (tx) => failValidation(tx, input, revision, report)))
      ? 'complete'
      : 'changed';
  const classes = facts.classes.total > facts.classes.shown.length ? [] : facts.classes.shown;
  const tables = await readTableFacts(deps, input, beat.signal);
  const pages = manifestPages(deps.database, input);
  const digest = await computeDigest(pages);
  const annotated = manifestPages(deps.database, input, format);
  const manifestKey = `t/${tenantId}/dataset-manifest/${digest}/${randomUUID()}`;
  await deps.database.inTenant(tenantId, (tx) =>
    recordOrphanedObjects(tx, [{ key: manifestKey, multipartId: ANY_MULTIPART }]),
  );
  await writeManifest(deps.objects, manifestKey, digest, annotated, beat.signal);
  // Every change of files raises the revision, so pages read one by one are of one state exactly when it is unchanged.
  return (await deps.database.inTenant(tenantId, (tx) =>
    freezeDataset(tx, input, revision, {
      digest,
      manifestKey,
      classes,
      format,
      tasks,
      splits,
      tables,
      soleKind: soleKindOf(facts),
      report,
    }),
  ))
    ? 'complete'
    : 'changed';
}

function soleKindOf({ images, byKind }: Awaited<ReturnType<typeof readFacts>>): 'images' | 'tabular' | null {
  const tables = byKind.tabular ?? 0;
  if (images.images > 0) return tables === 0 ? 'images' : null;
  return tables > 0 ? 'tabular' : null;
}

async function readFacts(tx: TenantTransaction, datasetId: string, now: Date) {
  const summary = await summarizeFiles(tx, datasetId);
  const byKind: Record<string, number> = {};
  for (const { kind, files } of summary) byKind[kind] = (byKind[kind] ?? 0) + files;
  return {
    checkedAt: now.toISOString(),
    files: summary.reduce((sum, { files }) => sum + files, 0),
    bytes: summary.reduce((sum, { bytes }) => sum + bytes, 0),
    byKind,
    invalid: summary.filter(({ status }) => status === 'invalid').reduce((sum, { files }) => sum + files, 0),
    findings: await invalidFindings(tx, datasetId),
    classes: await countClasses(tx, datasetId),
    images: await imageStats(tx, datasetId),
    tables: await tableNotes(tx, datasetId),
    misnamed: await misnamedFiles(tx, datasetId),
    formats: await formatNotes(tx, datasetId),
  };
}
