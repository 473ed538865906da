import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantId } from '../../core/security/ids.js';
import { matchAnnotations, planWholeSets, settleLists } from '../../models/datasets/annotations/annotation-match.repository.js';
import {
  annotationFileExamples,
  classesOfFiles,
  countMatches,
  contradictingLabels,
  countOrphans,
  declaredClasses,
  emptyMatches,
  type EntryPlace,
  entryPage,
  exactDuplicates,
  findKeypointShape,
  findYoloNames,
  formatEvidence,
  hashGroups,
  imagesWithoutAnnotation,
  type LookPaths,
  textsBesideImages,
  pathsOfLooks,
  vocPartLists,
} from '../../models/datasets/annotations/annotation-report.repository.js';
import { findPartFolders, type FoundParts, imageParts, listedTwice, NO_PARTS, settleImages } from '../../models/datasets/annotations/image-parts.repository.js';
import {
  type AnnotationFindings,
  annotationStats,
  annotationWarnings,
  type DuplicateFindings,
  duplicateStats,
  splitCounts,
  splitStats,
  taskClasses,
} from '../../models/datasets/annotations/annotation-report.rules.js';
import type { ClassFolders } from '../../models/datasets/annotations/class-folders.rules.js';
import { findClassFolders } from '../../models/datasets/annotations/class-folders.repository.js';
import { ClassLists } from '../../models/datasets/annotations/class-lists.js';
import { decideFormat, type FormatDecision, type FormatEvidence } from '../../models/datasets/annotations/annotation-format.rules.js';
import { type AnnotationFormat, MAX_CLASSES } from '../../models/datasets/annotations/annotation.types.js';
import { findNearDuplicates, type NearDuplicates } from '../../models/datasets/annotations/near-duplicates.rules.js';
import { ObjectStatistics } from '../../models/datasets/annotations/object-statistics.rules.js';
import { emptyPartsWarning, missingPartsWarning } from '../../models/datasets/annotations/yolo-parts.rules.js';
import { countClasses } from '../../models/datasets/dataset-catalog.repository.js';
import type { Finding, SplitCounts, TaskClasses } from '../../models/datasets/dataset.types.js';
import type { Database } from '../../models/orm/database.js';
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

/** Entries read at once, unless their objects are many. */
const PAGE = 200;
/** Hashes held in memory; of more images the first ones by hash are compared. */
const MAX_HASHES = 500_000;

/**
 * Matches annotations to images and draws up what they tell, from what the reading of the files left in tables. Memory
 * stays bounded: statements over the whole set, entries page by page.
 */
export async function reportAnnotations(database: Database, tenantId: TenantId, datasetId: string, signal: AbortSignal): Promise<AnnotationReport> {
  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    return database.inTenant(tenantId, async (tx) => {
      await allowLongStatements(tx);
      return work(tx);
    });
  };
  const evidence = await inTenant((tx) => formatEvidence(tx, datasetId));
  const decision = decideFormat(evidence);
  const named = decision.format === 'yolo' ? await inTenant((tx) => planWholeSets(tx).then(() => findPartFolders(tx, datasetId))) : NO_PARTS;
  if (usesFiles(decision.format)) await inTenant((tx) => matchAnnotations(tx, datasetId));
  const classFolders = await inTenant((tx) => settle(tx, datasetId, decision, evidence, named));
  const duplicates = await findDuplicates(inTenant, datasetId, decision.format, Math.min(evidence.images, MAX_HASHES), signal);
  const parts = await inTenant((tx) => imageParts(tx, datasetId));
  const stats = { ...duplicateStats(duplicates), splits: splitStats(parts), image_sizes: parts.sizes };
  if (decision.format === null) return { errors: [await inTenant((tx) => mixedFinding(tx, datasetId, decision))], warnings: [], stats, format: null, tasks: {}, splits: {} };
  const names = decision.format === 'yolo' ? await inTenant((tx) => findYoloNames(tx, datasetId)) : null;
  const declared = decision.format === 'coco' ? await inTenant((tx) => declaredClasses(tx, datasetId, MAX_CLASSES)) : (names?.classes.map(({ name }) => name) ?? []);
  const shape = decision.format === 'yolo' ? await inTenant((tx) => findKeypointShape(tx, datasetId)) : null;
  const statistics = new ObjectStatistics(shape === null ? null : 4 + shape[0] * shape[1], declared);
  if (usesFiles(decision.format)) await takeStatistics(inTenant, datasetId, statistics, names && new Map(names.classes.map(({ id, name }) => [id, name])));
  const findings = await inTenant((tx) => collect(tx, datasetId, evidence, { format: decision.format as AnnotationFormat, statistics, classFolders }));
  const splits = splitCounts(parts);
  const warnings = [...annotationWarnings(findings, duplicates), ...missingPartsWarning(named), ...emptyPartsWarning(named.path, named.repeated, splits)];
  return { errors: [], warnings, stats: { ...stats, annotations: annotationStats(findings) }, format: decision.format, tasks: taskClasses(findings), splits };
}

const usesFiles = (format: AnnotationFormat | null): boolean => format === 'coco' || format === 'voc' || format === 'yolo';

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
  const classFolders = format === 'class_folders' ? await findClassFolders(tx, datasetId, images - inFolders) : null;
  await settleImages(tx, datasetId, { format, classFolders, partFolders: folders });
  return classFolders;
}

type InTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => Promise<T>;

async function takeStatistics(inTenant: InTenant, datasetId: string, statistics: ObjectStatistics, yoloNames: ReadonlyMap<number, string> | null): Promise<void> {
  const lists = new ClassLists();
  for (let after: EntryPlace | null = null; ; ) {
    const from: EntryPlace | null = after;
    const { page, classes } = await inTenant(async (tx) => {
      const entries = await entryPage(tx, datasetId, from, PAGE);
      const own = entries.filter(({ entry }) => entry.kind !== 'yolo').map(({ place }) => place.fileId);
      return { page: entries, classes: await lists.of(new Set(own), (fileIds) => classesOfFiles(tx, datasetId, fileIds)) };
    });
    for (const { place, entry } of page) {
      const own = classes.get(place.fileId);
      // Without a list of names every class number stands for itself.
      if (entry.kind === 'yolo') statistics.add(entry, (id) => (yoloNames === null ? String(id) : (yoloNames.get(id) ?? null)));
      else statistics.add(entry, (id) => own?.get(id) ?? null);
    }
    if (page.length === 0) return;
    after = page.at(-1)?.place ?? null;
  }
}

async function collect(tx: TenantTransaction, datasetId: string, { images, files }: FormatEvidence, known: Pick<AnnotationFindings, 'format' | 'statistics' | 'classFolders'>) {
  const isByFiles = usesFiles(known.format);
  await planWholeSets(tx);
  return {
    ...known,
    images,
    matches: isByFiles ? await countMatches(tx, datasetId) : [],
    bare: isByFiles ? await imagesWithoutAnnotation(tx, datasetId) : { count: 0, examples: [] },
    empty: isByFiles ? await emptyMatches(tx, datasetId) : { objectsWithoutImage: 0, imagesWithoutObjects: 0 },
    orphans: isByFiles ? await countOrphans(tx, datasetId) : 0,
    texts: known.format === 'yolo' ? await textsBesideImages(tx, datasetId) : { count: 0, examples: [] },
    labelFiles: files.yolo ?? 0,
    partLists: known.format === 'voc' ? await vocPartLists(tx, datasetId) : { count: 0, examples: [] },
    folderClasses: isByFiles ? { shown: [], total: 0 } : await countClasses(tx, datasetId),
  };
}

/** @param limit images that may be there, at most MAX_HASHES */
async function findDuplicates(inTenant: InTenant, datasetId: string, format: AnnotationFormat | null, limit: number, signal: AbortSignal): Promise<DuplicateFindings> {
  const { exact, groups } = await inTenant(async (tx) => ({ exact: await exactDuplicates(tx, datasetId), groups: await hashGroups(tx, datasetId, limit) }));
  // Seconds of computing, in which no transaction is open and others, heartbeats among them, get their turns.
  const found = await findNearDuplicates(groups, async () => {
    await nextTurn();
    signal.throwIfAborted();
  });
  const near: NearDuplicates = { ...found, isComplete: found.isComplete && groups.length < MAX_HASHES };
  return inTenant(async (tx) => {
    const paths = await pathsOfLooks(
      tx,
      datasetId,
      near.pairs.flatMap(({ a, b }) => [a, b]),
    );
    // Only COCO files and lists may share images.
    const listed = format === 'coco' || format === 'yolo' ? await listedTwice(tx, datasetId, format) : { images: 0, examples: [] };
    const contradicting = format === 'class_folders' ? await contradictingLabels(tx, datasetId) : { images: 0, example: [] };
    return { exact, near, nearExamples: examplesOf(near.pairs, paths), listed, contradicting };
  });
}

/** @param paths of both looks of each pair, one after the other */
function examplesOf(pairs: NearDuplicates['pairs'], paths: readonly (LookPaths | null)[]): DuplicateFindings['nearExamples'] {
  return pairs.flatMap(({ a, b, leaks }, at) => {
    const [one, other] = [paths[2 * at], paths[2 * at + 1]];
    if (!one || !other) return [];
    const [train, held] = one.of_train !== null && other.of_held !== null ? [one.of_train, other.of_held] : [other.of_train, one.of_held];
    const pair: readonly [string, string] = leaks && train && held ? [train, held] : [one.first, a.hash === b.hash && a.tones === b.tones ? other.last : other.first];
    return [{ paths: pair, leaks }];
  });
}

async function mixedFinding(tx: TenantTransaction, datasetId: string, { mixed }: FormatDecision): Promise<Finding> {
  const examples = await annotationFileExamples(tx, datasetId, [...(mixed ?? []), 'yolo_config']);
  const named = examples.map(({ kind, path }) => `${path} (${kind.replace('_config', '')})`).join(', ');
  return {
    code: 'mixed_annotation_formats',
    message: `The dataset holds annotations of more than one format: ${named}. Keep one format and delete the files of the others.`,
    file_id: null,
  };
}
