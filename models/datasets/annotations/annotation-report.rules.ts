import type { CountedClasses, Finding, SplitCounts, TaskClasses } from '../dataset.types.js';
import { MAX_CLASSES } from './annotation.types.js';
import { type AnnotationTask, tasksServed } from './annotation-format.rules.js';
import type { AnnotationFormat, Split } from './annotation.types.js';
import type { Contradictions, ExactDuplicates, ImageParts, ListedTwice, MatchCount } from './annotation-report.types.js';
import { type ClassFolders, classFolderWarnings, classPattern } from './class-folders.rules.js';
import type { NearDuplicates } from './near-duplicates.rules.js';
import { AREA_PARTS, cocoTask, type ObjectStatistics } from './object-statistics.rules.js';
import type { Tally } from './tally.rules.js';
import type { YoloForm } from './yolo-forms.rules.js';

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
  /** Of label files beside their images: text files in their place that are none. */
  readonly texts: { readonly count: number; readonly examples: readonly string[] };
  /** Label files, also empty ones. */
  readonly labelFiles: number;
  /** Of Pascal VOC: lists of images that name parts. */
  readonly partLists: { readonly count: number; readonly examples: readonly string[] };
  /** Images by class folder. */
  readonly folderClasses: CountedClasses;
  /** Where these folders lie; null for other formats. */
  readonly classFolders: ClassFolders | null;
}

const MAX_CLASSES_SHOWN = 1000;

/** The task that a dataset's annotations serve best; null where images have neither files nor folders. */
export function mainTask({ format, statistics }: AnnotationFindings): AnnotationTask | null {
  if (format === 'images') return null;
  if (format === 'class_folders') return 'classification';
  if (format === 'voc') return 'detection';
  return format === 'coco' ? cocoTask(statistics.flags) : statistics.forms.task;
}

/** Classes by task, also those without an object; where files annotate images, with the objects that the task can use. None where they are too many to be trained. */
export function taskClasses(findings: AnnotationFindings): TaskClasses {
  const task = mainTask(findings);
  if (task === null || classCount(findings) > MAX_CLASSES) return {};
  if (task === 'classification') return { classification: findings.folderClasses.shown };
  const served = tasksServed(task, findings.statistics.flags).map((one) => [one, classesOfTask(findings, one)] as const);
  return Object.fromEntries(served.filter(([, classes]) => classes.some(({ count }) => count > 0)));
}

const FORM_OF: Readonly<Partial<Record<AnnotationTask, YoloForm>>> = { detection: 'box', instance_segmentation: 'outline', pose: 'keypoints' };

/** All classes with their objects that the task can use. */
function classesOfTask({ format, statistics }: AnnotationFindings, task: AnnotationTask) {
  const form = FORM_OF[task];
  const usable = format === 'yolo' ? statistics.forms.usable(task) : form ? [form] : [];
  return [...statistics.classes]
    .map(([name, { byForm }]) => ({ name, count: usable.reduce((sum, one) => sum + (byForm[one] ?? 0), 0) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const classCount = ({ format, folderClasses, statistics }: AnnotationFindings): number => (format === 'class_folders' ? folderClasses.total : statistics.classes.size);

/** The part of the report's figures that is about annotations; null where there are none. */
export function annotationStats(findings: AnnotationFindings): Record<string, unknown> | null {
  const { format, statistics, matches, bare, empty, orphans, texts, images } = findings;
  const task = mainTask(findings);
  if (findings.classFolders !== null) return { format, task, class_folders: classPattern(findings.classFolders) };
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

const plain = ({ count, examples }: Tally): Counted => ({ count, examples });

function classTable({ classes }: ObjectStatistics): Array<Record<string, unknown>> {
  const rows = [...classes].map(([name, { bySplit }]) => ({ name, ...bySplit }));
  return rows.sort((a, b) => b.train + b.val + b.test + b.none - (a.train + a.val + a.test + a.none) || (a.name < b.name ? -1 : 1)).slice(0, MAX_CLASSES_SHOWN);
}

/** Images, and those of each class folder, by part of the dataset; null where nothing names a part. */
export function splitStats({ bySplit, byClass }: ImageParts): Record<string, unknown> | null {
  if (!bySplit.some(({ split }) => split !== null)) return null;
  const classesOf = (part: Split | null) => Object.fromEntries(byClass.filter(({ split }) => split === part).map(({ label, images }) => [label, images]));
  return Object.fromEntries(bySplit.map(({ split, images }) => [split ?? 'none', { images, classes: classesOf(split) }]));
}

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
  readonly nearExamples: ReadonlyArray<{ readonly paths: readonly [string, string]; readonly leaks: boolean }>;
  readonly listed: ListedTwice;
  readonly contradicting: Contradictions;
}

const MAX_PAIRS = 10;

export function duplicateStats({ exact, near, nearExamples, listed }: DuplicateFindings): Record<string, unknown> {
  return {
    duplicates: {
      exact: { groups: exact.groups, images: exact.images, examples: exact.examples },
      near: { groups: near.groups, images: near.images, examples: nearExamples.map(({ paths }) => paths).slice(0, MAX_PAIRS), is_complete: near.isComplete },
    },
    leakage: {
      exact: { images: exact.leaked, examples: exact.leak_examples },
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

/**
 * Also without an image an object is one. Label files that are all empty do not make a dataset one of labels, and any empty text is one: as
 * many as half of the images are meant as labels.
 */
const holdsNoObject = ({ format, images, statistics, empty, orphans, labelFiles }: AnnotationFindings): boolean =>
  format === 'images' ? images > 0 && 2 * labelFiles >= images : format !== 'class_folders' && statistics.objects + empty.objectsWithoutImage + orphans === 0;

/** What people should look at; none of it keeps the dataset from being frozen. */
export function annotationWarnings(findings: AnnotationFindings, { exact, near, listed, contradicting }: DuplicateFindings): Finding[] {
  const warnings = classFolderWarnings(
    findings.classFolders,
    findings.folderClasses.shown.map(({ name }) => name),
  );
  const warn = (code: string, { count, examples }: Counted, text: string) => {
    if (count > 0) warnings.push({ code, message: `${count} ${text}${examples[0] === undefined ? '' : `, first ${String(examples[0])}`}.`, file_id: null });
  };
  const of = (match: string): Counted => findings.matches.find((one) => one.match === match) ?? { count: 0, examples: [] };
  const { statistics } = findings;
  if (holdsNoObject(findings)) {
    const message = 'The annotation files hold no object, so there is nothing to train. Remove them if the folders of the images are the classes.';
    warnings.push({ code: 'no_objects', message, file_id: null });
  }
  if (findings.format !== 'images' && findings.format !== 'class_folders') {
    warn('images_without_annotation', findings.bare, 'images have no annotation');
    warn('annotations_without_image', of('no_image'), 'annotations have no image');
    warn('ambiguous_stem', of('ambiguous_stem'), 'annotations fit several images, or share one with another file');
    warn('case_mismatch', of('case_mismatch'), 'annotations differ from their image in upper and lower case');
    warn('extension_mismatch', of('extension_mismatch'), 'annotations name their image with another extension');
    warn('listed_images_not_here', of('unlisted'), 'lines of lists of images name none that is here');
    warn('part_lists_not_read', findings.partLists, 'lists of images in ImageSets are not read, so they name no part; put images and annotations into folders named train and val');
    warn('class_out_of_range', statistics.classOutOfRange, 'objects have a class that is not listed');
    warn('texts_beside_images', findings.texts, 'text files have the name of an image and are no label files; mend them if they are meant to be');
    if (findings.format === 'yolo') warn('objects_of_other_kind', statistics.forms.others, `objects are not written as ${statistics.forms.expected}, as most of this dataset are`);
    const { unlikeDeclared } = statistics.forms;
    warn('kpt_shape_mismatch', unlikeDeclared, unlikeDeclared.words);
    warn('repeated_objects', statistics.repeated, 'objects are written more than once in their file');
    warn('boxes_outside_image', statistics.outside, 'boxes reach out of their image');
    warn('boxes_without_area', statistics.withoutArea, 'boxes have no area');
    warn('image_size_mismatch', statistics.otherSize, 'images have another size than their annotation says');
    warn('objects_of_unlisted_images', { count: findings.orphans, examples: [] }, 'objects are of images that their file does not list');
  }
  const classes = classCount(findings);
  if (classes > MAX_CLASSES) {
    const message = `The dataset has ${classes} classes. More than ${MAX_CLASSES} are not kept, so that it cannot train a model of classes; if folders are no classes, put the images into fewer.`;
    warnings.push({ code: 'too_many_classes', message, file_id: null });
  }
  warn(
    'contradicting_labels',
    { count: contradicting.images, examples: contradicting.images > 0 ? [contradicting.example.join(' and ')] : [] },
    'images have the same bytes as one of another class',
  );
  warn('near_duplicate_images', { count: near.images, examples: [] }, 'images look like another one');
  warn('split_leakage', { count: exact.leaked + near.leaked + listed.images, examples: [] }, 'images of validation or test are also in training, or look like one there');
  return warnings;
}
