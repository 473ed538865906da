import { toImageObjectOut } from '../datasets/image-annotations.mapper.js';
import type { DatasetPreview, PreviewImage } from './dataset-preview.service.js';
import type { DatasetPreviewOut, PreviewImageOut } from './dataset-preview.schemas.js';
import type { TaskType } from './training.schemas.js';

const MAX_CLASSES = 1000;

function toImageOut(datasetId: string, { file, annotations }: PreviewImage): PreviewImageOut {
  const content = `/api/v1/datasets/${datasetId}/files/${file.id}/content`;
  const { id, path, label, width, height } = file;
  return {
    ...{ file_id: id, path, label, width, height },
    content_url: content,
    preview_url: `${content}?variant=preview`,
    objects: annotations.objects.map(toImageObjectOut),
    object_count: annotations.total,
  };
}

export const toPreviewOut = (
  { dataset, images, classes, problem }: DatasetPreview,
  task: TaskType,
): DatasetPreviewOut => ({
  dataset_id: dataset.key,
  dataset_digest: dataset.digest,
  task,
  usable: problem === null,
  reason: problem,
  format: dataset.format,
  items: images.map((image) => toImageOut(dataset.key, image)),
  total: images.length,
  classes: classes.slice(0, MAX_CLASSES).map(({ name, count }) => ({ name, count })),
  class_count: classes.length,
  splits: { ...dataset.splits },
});
