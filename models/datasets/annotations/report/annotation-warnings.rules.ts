import {
  type AnnotationFindings,
  classCount,
  type Counted,
  type DuplicateFindings,
} from './annotation-report.rules.js';
import type { Finding } from '../../catalog/dataset.types.js';
import { MAX_CLASSES } from '../../../../formats/annotations/annotation.types.js';
import { classFolderWarnings } from '../matching/class-folders.rules.js';

/**
 * Also without an image an object is one. Label files that are all empty do not make a dataset one of labels, and any empty text is one: as
 * many as half of the images are meant as labels.
 */
const holdsNoObject = ({
  format,
  images,
  statistics,
  empty,
  orphans,
  labelFiles,
}: AnnotationFindings): boolean =>
  format === 'images'
    ? images > 0 && 2 * labelFiles >= images
    : format !== 'class_folders' && statistics.objects + empty.objectsWithoutImage + orphans === 0;

/** What people should look at; none of it keeps the dataset from being frozen. */
export function annotationWarnings(
  findings: AnnotationFindings,
  { exact, near, listed, contradicting }: DuplicateFindings,
): Finding[] {
  const warnings = classFolderWarnings(
    findings.classFolders,
    findings.folderClasses.shown.map(({ name }) => name),
  );
  const warn: Warn = (code, { count, examples }, text) => {
    if (count > 0)
      warnings.push({
        code,
        message: `${count} ${text}${examples[0] === undefined ? '' : `, first ${String(examples[0])}`}.`,
        file_id: null,
      });
  };
  if (holdsNoObject(findings)) {
    const message =
      'The annotation files hold no object, so there is nothing to train. Remove them if the folders of the images are the classes.';
    warnings.push({ code: 'no_objects', message, file_id: null });
  }
  if (findings.format !== 'images' && findings.format !== 'class_folders') {
    warnOfFiles(findings, warn);
    warnOfObjects(findings, warn);
  }
  const classes = classCount(findings);
  if (classes > MAX_CLASSES) {
    const message =
      `The dataset has ${classes} classes. More than ${MAX_CLASSES} are not kept, so that it cannot train ` +
      'a model of classes; if folders are no classes, put the images into fewer.';
    warnings.push({ code: 'too_many_classes', message, file_id: null });
  }
  warn(
    'contradicting_labels',
    {
      count: contradicting.images,
      examples: contradicting.images > 0 ? [contradicting.example.join(' and ')] : [],
    },
    'images have the same bytes as one of another class',
  );
  warn('near_duplicate_images', { count: near.images, examples: [] }, 'images look like another one');
  warn(
    'split_leakage',
    { count: exact.leaked + near.leaked + listed.images, examples: [] },
    'images of validation or test are also in training, or look like one there',
  );
  return warnings;
}

type Warn = (code: string, counted: Counted, text: string) => void;

/** Files that do not fit together. */
function warnOfFiles(findings: AnnotationFindings, warn: Warn): void {
  const of = (match: string): Counted =>
    findings.matches.find((one) => one.match === match) ?? { count: 0, examples: [] };
  warn('images_without_annotation', findings.bare, 'images have no annotation');
  warn('annotations_without_image', of('no_image'), 'annotations have no image');
  warn(
    'ambiguous_stem',
    of('ambiguous_stem'),
    'annotations fit several images, or share one with another file',
  );
  warn('case_mismatch', of('case_mismatch'), 'annotations differ from their image in upper and lower case');
  warn('extension_mismatch', of('extension_mismatch'), 'annotations name their image with another extension');
  warn('listed_images_not_here', of('unlisted'), 'lines of lists of images name none that is here');
  warn(
    'part_lists_not_read',
    findings.partLists,
    'lists of images in ImageSets are not read, so they name no part; put images and annotations into folders named train and val',
  );
  warn(
    'texts_beside_images',
    findings.texts,
    'text files have the name of an image and are no label files; correct them if they are meant to be',
  );
}

/** Objects that are not as they should be. */
function warnOfObjects(findings: AnnotationFindings, warn: Warn): void {
  const { statistics } = findings;
  warn('class_out_of_range', statistics.classOutOfRange, 'objects have a class that is not listed');
  if (findings.format === 'yolo')
    warn(
      'objects_of_other_kind',
      statistics.forms.others,
      `objects are not written as ${statistics.forms.expected}, as most of this dataset are`,
    );
  const { unlikeDeclared } = statistics.forms;
  warn('kpt_shape_mismatch', unlikeDeclared, unlikeDeclared.words);
  warn('repeated_objects', statistics.repeated, 'objects are written more than once in their file');
  warn('boxes_outside_image', statistics.outside, 'boxes reach out of their image');
  warn('boxes_without_area', statistics.withoutArea, 'boxes have no area');
  warn('image_size_mismatch', statistics.otherSize, 'images have another size than their annotation says');
  warn(
    'objects_of_unlisted_images',
    { count: findings.orphans, examples: [] },
    'objects are of images that their file does not list',
  );
}
