import type { AnnotationFileKind, AnnotationFormat } from './annotation.types.js';

/** Tasks of training that a dataset's annotations serve. */
export type AnnotationTask = 'classification' | 'detection' | 'instance_segmentation' | 'pose' | 'obb';

export interface FormatEvidence {
  /** Readable annotation files by kind. */
  readonly files: Readonly<Partial<Record<AnnotationFileKind, number>>>;
  /** YOLO label files with at least one object: an empty text file alone says nothing. */
  readonly labelsWithObjects: number;
  readonly images: number;
  /** Images in some folder. */
  readonly inFolders: number;
}

export type FormatDecision =
  | { readonly format: AnnotationFormat; readonly mixed: null }
  | { readonly format: null; readonly mixed: readonly AnnotationFormat[] };

/**
 * The format of a dataset by its files: COCO, VOC or YOLO when files of exactly one of them are there, otherwise folders
 * as classes. Files of two formats are refused: nobody could say which of them counts.
 */
export function decideFormat({ files, labelsWithObjects, inFolders }: FormatEvidence): FormatDecision {
  const found: AnnotationFormat[] = [];
  if ((files.coco ?? 0) > 0) found.push('coco');
  if ((files.voc ?? 0) > 0) found.push('voc');
  if (labelsWithObjects > 0 || (files.yolo_config ?? 0) > 0) found.push('yolo');
  if (found.length > 1) return { format: null, mixed: found };
  const [format] = found;
  if (format !== undefined) return { format, mixed: null };
  return { format: inFolders === 0 ? 'images' : 'class_folders', mixed: null };
}

/** Outlines and key points come with boxes, so they serve detection too; objects of COCO files may have both. */
export function tasksServed(
  task: AnnotationTask,
  { polygon, mask }: { readonly polygon: number; readonly mask: number },
): readonly AnnotationTask[] {
  if (task === 'pose')
    return polygon + mask > 0 ? [task, 'instance_segmentation', 'detection'] : [task, 'detection'];
  return task === 'instance_segmentation' ? [task, 'detection'] : [task];
}
