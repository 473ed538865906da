import { type InTenant, objectStatistics, usesFiles } from './annotation-statistics.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantId } from '../../core/security/ids.js';
import {
  matchAnnotations,
  planWholeSets,
  settleLists,
} from '../../models/datasets/annotations/matching/annotation-match.sql.js';
import {
  annotationFileExamples,
  countOrphans,
  formatEvidence,
} from '../../models/datasets/annotations/report/annotation-report.queries.js';
import {
  countMatches,
  emptyMatches,
  imagesWithoutAnnotation,
  textsBesideImages,
  vocPartLists,
} from '../../models/datasets/annotations/report/annotation-report.sql.js';
import {
  contradictingLabels,
  exactDuplicates,
  hasOtherLikenesses,
  hashGroups,
  type LookPaths,
  pathsOfLooks,
} from '../../models/datasets/annotations/report/duplicate-images.sql.js';
import {
  findPartFolders,
  type FoundParts,
  imageParts,
  NO_PARTS,
} from '../../models/datasets/annotations/matching/image-parts.queries.js';
import { settleMarks } from '../../models/datasets/annotations/report/image-marks.sql.js';
import { listedTwice, settleImages } from '../../models/datasets/annotations/matching/image-parts.sql.js';
import {
  type AnnotationFindings,
  annotationStats,
  type DuplicateFindings,
  duplicateStats,
  sizeStats,
  splitCounts,
  splitStats,
  taskClasses,
} from '../../models/datasets/annotations/report/annotation-report.rules.js';
import { annotationWarnings } from '../../models/datasets/annotations/report/annotation-warnings.rules.js';
import type { ClassFolders } from '../../models/datasets/annotations/matching/class-folders.rules.js';
import { findClassFolders } from '../../models/datasets/annotations/matching/class-folders.sql.js';
import {
  decideFormat,
  type FormatDecision,
  type FormatEvidence,
} from '../../formats/annotations/annotation-format.js';
import type { AnnotationFormat } from '../../formats/annotations/annotation.types.js';
import {
  findNearDuplicates,
  type NearDuplicates,
} from '../../models/datasets/annotations/report/near-duplicates.rules.js';
import { emptyPartsWarning, missingPartsWarning } from '../../formats/annotations/yolo/yolo-parts.js';
import { countClasses } from '../../models/datasets/catalog/dataset-list.queries.js';
import type { Finding, SplitCounts, TaskClasses } from '../../models/datasets/catalog/dataset.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { allowLongStatements } from '../../models/orm/long-statements.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';

export interface AnnotationReport {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly stats: Readonly<Record<string, unknown>>;
  /** Null where files of two formats stand side by side. */
  readonly format: AnnotationFormat | null;
  readonly tasks: TaskClasses;
  readonly splits: SplitCounts;
}

/** Hashes held in memory; of more images the first ones by hash are compared. */
const MAX_HASHES = 500_000;

/**
 * Matches annotations to images and draws up the report, from what the reading of the files left in tables. Memory
 * stays bounded: statements over the whole set, entries page by page.
 */
export async function reportAnnotations(
  database: Database,
  tenantId: TenantId,
  datasetId: string,
  signal: AbortSignal,
): Promise<AnnotationReport> {
  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    return database.inTenant(tenantId, async (tx) => {
      await allowLongStatements(tx);
      return work(tx);
    });
  };
  const evidence = await inTenant((tx) => formatEvidence(tx, datasetId));
  const decision = decideFormat(evidence);
  const named =
    decision.format === 'yolo'
      ? await inTenant((tx) => planWholeSets(tx).then(() => findPartFolders(tx, datasetId)))
      : NO_PARTS;
  const { format } = decision;
  if (usesFiles(format)) await inTenant((tx) => matchAnnotations(tx, datasetId, format));
  const classFolders = await inTenant((tx) => settle(tx, datasetId, decision, evidence, named));
  const duplicates = await findDuplicates(
    inTenant,
    datasetId,
    decision.format,
    Math.min(evidence.images, MAX_HASHES),
    signal,
  );
  const parts = await inTenant((tx) => imageParts(tx, datasetId));
  const statistics =
    decision.format === null ? null : await objectStatistics(inTenant, datasetId, decision.format);
  await inTenant((tx) =>
    planWholeSets(tx).then(() => settleMarks(tx, datasetId, usesFiles(decision.format))),
  );
  const stats = { ...duplicateStats(duplicates), splits: splitStats(parts), image_sizes: sizeStats(parts) };
  if (decision.format === null || statistics === null)
    return {
      errors: [await inTenant((tx) => mixedFinding(tx, datasetId, decision))],
      warnings: [],
      stats,
      format: null,
      tasks: {},
      splits: {},
    };
  const findings = await inTenant((tx) =>
    collect(tx, datasetId, evidence, {
      format: decision.format as AnnotationFormat,
      statistics,
      classFolders,
    }),
  );
  const splits = splitCounts(parts);
  const warnings = [
    ...annotationWarnings(findings, duplicates),
    ...missingPartsWarning(named),
    ...emptyPartsWarning(named.path, named.repeated, splits),
  ];
  return {
    errors: [],
    warnings,
    stats: { ...stats, annotations: annotationStats(findings) },
    format: decision.format,
    tasks: taskClasses(findings),
    splits,
  };
}

/** Gives images their class and part. */
async function settle(
  tx: TenantTransaction,
  datasetId: string,
  { format }: FormatDecision,
  { images, inFolders }: FormatEvidence,
  { folders, lists }: FoundParts,
): Promise<ClassFolders | null> {
  await planWholeSets(tx);
  if (usesFiles(format)) await settleLists(tx, datasetId, lists);
  const classFolders =
    format === 'class_folders' ? await findClassFolders(tx, datasetId, images - inFolders) : null;
  await settleImages(tx, datasetId, { format, classFolders, partFolders: folders });
  return classFolders;
}

async function collect(
  tx: TenantTransaction,
  datasetId: string,
  { images, files }: FormatEvidence,
  known: Pick<AnnotationFindings, 'format' | 'statistics' | 'classFolders'>,
) {
  const isByFiles = usesFiles(known.format);
  await planWholeSets(tx);
  return {
    ...known,
    images,
    matches: isByFiles ? await countMatches(tx, datasetId) : [],
    bare: isByFiles ? await imagesWithoutAnnotation(tx, datasetId) : { count: 0, examples: [] },
    empty: isByFiles
      ? await emptyMatches(tx, datasetId)
      : { objectsWithoutImage: 0, imagesWithoutObjects: 0 },
    orphans: isByFiles ? await countOrphans(tx, datasetId) : 0,
    texts: known.format === 'yolo' ? await textsBesideImages(tx, datasetId) : { count: 0, examples: [] },
    labelFiles: files.yolo ?? 0,
    partLists: known.format === 'voc' ? await vocPartLists(tx, datasetId) : { count: 0, examples: [] },
    folderClasses: isByFiles ? { shown: [], total: 0 } : await countClasses(tx, datasetId),
  };
}

/** @param limit images that may be there, at most MAX_HASHES */
async function findDuplicates(
  inTenant: InTenant,
  datasetId: string,
  format: AnnotationFormat | null,
  limit: number,
  signal: AbortSignal,
): Promise<DuplicateFindings> {
  const { exact, groups, areAllComparable } = await inTenant(async (tx) => ({
    exact: await exactDuplicates(tx, datasetId),
    groups: await hashGroups(tx, datasetId, limit),
    areAllComparable: !(await hasOtherLikenesses(tx, datasetId)),
  }));
  // Seconds of computing, in which no transaction is open and others, heartbeats among them, get their turns.
  const found = await findNearDuplicates(groups, async () => {
    await nextTurn();
    signal.throwIfAborted();
  });
  const near: NearDuplicates = {
    ...found,
    isComplete: found.isComplete && areAllComparable && groups.length < MAX_HASHES,
  };
  return inTenant(async (tx) => {
    const paths = await pathsOfLooks(
      tx,
      datasetId,
      near.pairs.flatMap(({ a, b }) => [a, b]),
    );
    // Only COCO files and lists may share images.
    const listed =
      format === 'coco' || format === 'yolo'
        ? await listedTwice(tx, datasetId, format)
        : { images: 0, examples: [] };
    const contradicting =
      format === 'class_folders' ? await contradictingLabels(tx, datasetId) : { images: 0, example: [] };
    return { exact, near, nearExamples: examplesOf(near.pairs, paths), listed, contradicting };
  });
}

/** @param paths of both looks of each pair, one after the other */
function examplesOf(
  pairs: NearDuplicates['pairs'],
  paths: readonly (LookPaths | null)[],
): DuplicateFindings['nearExamples'] {
  return pairs.flatMap(({ a, b, leaks }, at) => {
    const [one, other] = [paths[2 * at], paths[2 * at + 1]];
    if (!one || !other) return [];
    const [train, held] =
      one.ofTrain !== null && other.ofHeld !== null
        ? [one.ofTrain, other.ofHeld]
        : [other.ofTrain, one.ofHeld];
    const pair: readonly [string, string] =
      leaks && train && held
        ? [train, held]
        : [one.first, a.hash === b.hash && a.tones === b.tones ? other.last : other.first];
    return [{ paths: pair, leaks }];
  });
}

async function mixedFinding(
  tx: TenantTransaction,
  datasetId: string,
  { mixed }: FormatDecision,
): Promise<Finding> {
  const examples = await annotationFileExamples(tx, datasetId, [...(mixed ?? []), 'yolo_config']);
  const named = examples.map(({ kind, path }) => `${path} (${kind.replace('_config', '')})`).join(', ');
  return {
    code: 'mixed_annotation_formats',
    message: `The dataset holds annotations of more than one format: ${named}. Keep one format and delete the files of the others.`,
    file_id: null,
  };
}
