import type { ImageObjectOut } from '../datasets/image-annotations.schemas.js';
import type { ClassOut, TaskType } from './training.schemas.js';

export interface PreviewImageOut {
  file_id: string;
  path: string;
  /** Its class folder. */
  label: string | null;
  width: number | null;
  height: number | null;
  content_url: string;
  preview_url: string;
  /** The first 200. */
  objects: ImageObjectOut[];
  /** True count. */
  object_count: number;
}

export interface DatasetPreviewOut {
  dataset_id: string;
  dataset_digest: string;
  task: TaskType;
  /** Whether the task can be trained from this dataset. */
  usable: boolean;
  /** Why not; null when usable. */
  reason: string | null;
  /** How its images are annotated; null of datasets that were frozen before this was kept. */
  format: string | null;
  items: PreviewImageOut[];
  /** How many `items` there are. */
  total: number;
  /** Objects of each class, or images for classification; the first 1,000 by name. */
  classes: ClassOut[];
  /** True count of classes. */
  class_count: number;
  /** Images by the part that their folders name. */
  splits: Record<string, number>;
}
