import {
  type CountedClasses,
  MAX_CLASSES_IN_PARTS,
  type SplitCounts,
  type TaskClasses,
} from '../../catalog/dataset.types.js';
import { MAX_CLASSES } from '../../../../formats/annotations/annotation.types.js';
import { type AnnotationTask, tasksServed } from '../../../../formats/annotations/annotation-format.js';
import type { AnnotationFormat, Split } from '../../../../formats/annotations/annotation.types.js';
import type {
  Contradictions,
  ExactDuplicates,
  ImageParts,
  ListedTwice,
  MatchCount,
} from './annotation-report.types.js';
import { type ClassFolders, classPattern } from '../matching/class-folders.rules.js';
import type { NearDuplicates } from './near-duplicates.rules.js';
import { AREA_PARTS, cocoTask, type ObjectStatistics } from './object-statistics.rules.js';
import type { ExampleCounter } from '../../../../formats/annotations/example-counter.js';
import type { YoloForm } from '../../../../formats/annotations/yolo/yolo-forms.js';

export interface Counted {
  readonly count: number;
  readonly examples: readonly unknown[];
}

export interface AnnotationFindings {
  readonly format: AnnotationFormat;
  readonly images: number;
  readonly statistics: ObjectStatistics;
  readonly matches: readonly MatchCount[];
  readonly bare: { readonly count: number; readonly examples: readonly string[] };
  readonly empty: { readonly objectsWithoutImage: number; readonly imagesWithoutObjects: number };
  readonly orphans: number;
  /** Text files in the place of label files that are none. */
  readonly texts: { readonly count: number; readonly examples: readonly string[] };
  /** Label files, also empty ones. */
  readonly labelFiles: number;
  /** Lists of images that name parts, as Pascal VOC has them. */
  readonly partLists: { readonly count: number; readonly examples: readonly string[] };
  /** Images by class folder. */
  readonly folderClasses: CountedClasses;
  /** Where these folders lie; null for other formats. */
  readonly classFolders: ClassFolders | null;
}

/** The task that a dataset's annotations serve best; null where images have neither files nor folders. */
export function mainTask({ format, statistics }: AnnotationFindings): AnnotationTask | null {
  if (format === 'images') return null;
  if (format === 'class_folders') return 'classification';
  if (format === 'voc') return 'detection';
  return format === 'coco' ? cocoTask(statistics.flags) : statistics.forms.task;
}

/**
 * Classes by task, also those without an object; where files annotate images, with the objects that the task can use.
 * None where they are too many to be trained.
 */
export function taskClasses(findings: AnnotationFindings): TaskClasses {
  const task = mainTask(findings);
  if (task === null || classCount(findings) > MAX_CLASSES) return {};
  if (task === 'classification') return { classification: findings.folderClasses.shown };
  const served = tasksServed(task, findings.statistics.flags).map(
    (one) => [one, classesOfTask(findings, one)] as const,
  );
  return Object.fromEntries(served.filter(([, classes]) => classes.some(({ count }) => count > 0)));
}

const FORM_OF: Readonly<Partial<Record<AnnotationTask, YoloForm>>> = {
  detection: 'box',
  instance_segmentation: 'outline',
  pose: 'keypoints',
};

/** All classes with their objects that the task can use. */
function classesOfTask({ format, statistics }: AnnotationFindings, task: AnnotationTask) {
  const form = FORM_OF[task];
  const usable = format === 'yolo' ? statistics.forms.usable(task) : form ? [form] : [];
  return [...statistics.classes]
    .map(([name, { byForm }]) => ({ name, count: usable.reduce((sum, one) => sum + (byForm[one] ?? 0), 0) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const classCount = ({ format, folderClasses, statistics }: AnnotationFindings): number =>
  format === 'class_folders' ? folderClasses.total : statistics.classes.size;

/** The part of the report's figures that is about annotations; null where there are none. */
export function annotationStats(findings: AnnotationFindings): Record<string, unknown> | null {
  const { format, statistics, matches, bare, empty, orphans, texts, images } = findings;
  const task = mainTask(findings);
  if (findings.classFolders !== null)
    return { format, task, class_folders: classPattern(findings.classFolders) };
  if (format === 'images') return { format, task };
  const of = (match: string): Counted => {
    const found = matches.find((one) => one.match === match);
    return { count: found?.count ?? 0, examples: found?.examples ?? [] };
  };
  return {
    format,
    task,
    objects: statistics.objects,
    objects_without_image: empty.objectsWithoutImage,
    images_annotated: images - bare.count,
    match_rate: images === 0 ? 0 : Math.round(((images - bare.count) / images) * 10_000) / 10_000,
    // Images, of which several COCO files may speak.
    matched: { ...of('matched'), count: images - bare.count },
    images_without_annotation: bare,
    annotations_without_image: of('no_image'),
    ambiguous_stem: of('ambiguous_stem'),
    case_mismatch: of('case_mismatch'),
    extension_mismatch: of('extension_mismatch'),
    images_without_objects: empty.imagesWithoutObjects,
    objects_of_unlisted_images: orphans,
    class_out_of_range: plain(statistics.classOutOfRange),
    texts_beside_images: texts,
    objects_of_other_kind: format === 'yolo' ? statistics.forms.others : { count: 0, examples: [] },
    repeated_objects: plain(statistics.repeated),
    boxes_outside_image: plain(statistics.outside),
    boxes_without_area: plain(statistics.withoutArea),
    image_size_mismatch: plain(statistics.otherSize),
    objects_by_class: classTable(statistics),
    box_sizes: {
      ...statistics.bySize,
      by_relative_area: statistics.byPart.map((boxes, at) => ({ below: AREA_PARTS[at] ?? null, boxes })),
    },
  };
}

const plain = ({ count, examples }: ExampleCounter): Counted => ({ count, examples });

function classTable({ classes }: ObjectStatistics): Array<Record<string, unknown>> {
  const rows = [...classes].map(([name, { bySplit }]) => ({ name, ...bySplit }));
  return rows
    .sort(
      (a, b) =>
        b.train + b.val + b.test + b.none - (a.train + a.val + a.test + a.none) || (a.name < b.name ? -1 : 1),
    )
    .slice(0, MAX_CLASSES_IN_PARTS);
}

/** Images, and those of each class folder, by part of the dataset; null where nothing names a part. */
export function splitStats({ bySplit, byClass }: ImageParts): Record<string, unknown> | null {
  if (!bySplit.some(({ split }) => split !== null)) return null;
  const classesOf = (part: Split | null) =>
    Object.fromEntries(
      byClass.filter(({ split }) => split === part).map(({ label, images }) => [label, images]),
    );
  return Object.fromEntries(
    bySplit.map(({ split, images }) => [split ?? 'none', { images, classes: classesOf(split) }]),
  );
}

export const sizeStats = ({ sizes }: ImageParts): Record<string, number | null> => ({
  mean_width: sizes.meanWidth,
  mean_height: sizes.meanHeight,
  median_width: sizes.medianWidth,
  median_height: sizes.medianHeight,
  distinct_sizes: sizes.distinctSizes,
});

/** Images by part of the dataset, without those of none. */
export function splitCounts({ bySplit }: ImageParts): SplitCounts {
  const counts: Partial<Record<Split, number>> = {};
  for (const { split, images } of bySplit) if (split !== null) counts[split] = images;
  return counts;
}

export interface DuplicateFindings {
  readonly exact: ExactDuplicates;
  readonly near: NearDuplicates;
  /** Paths of the pairs of `near`, in their order. */
  readonly nearExamples: ReadonlyArray<{
    readonly paths: readonly [string, string];
    readonly leaks: boolean;
  }>;
  readonly listed: ListedTwice;
  readonly contradicting: Contradictions;
}

const MAX_PAIRS = 10;

export function duplicateStats({
  exact,
  near,
  nearExamples,
  listed,
}: DuplicateFindings): Record<string, unknown> {
  return {
    duplicates: {
      exact: { groups: exact.groups, images: exact.images, examples: exact.examples },
      near: {
        groups: near.groups,
        images: near.images,
        examples: nearExamples.map(({ paths }) => paths).slice(0, MAX_PAIRS),
        is_complete: near.isComplete,
      },
    },
    leakage: {
      exact: { images: exact.leaked, examples: exact.leakExamples },
      listed,
      near: {
        images: near.leaked,
        examples: nearExamples
          .filter(({ leaks }) => leaks)
          .map(({ paths }) => paths)
          .slice(0, MAX_PAIRS),
      },
    },
  };
}
