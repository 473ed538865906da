import type { AnnotatedImages } from '../../models/datasets/annotations/entries/image-objects.queries.js';
import type {
  AnnotatedImage,
  ImageObject,
  ObjectSource,
} from '../../models/datasets/annotations/entries/image-objects.types.js';
import type {
  AnnotatedImageOut,
  ImageAnnotationsOut,
  ImageObjectOut,
  ObjectSourceOut,
} from './image-annotations.schemas.js';

/** Parts of a pixel that boxes are given in; stored numbers are exact to seven digits. */
const PARTS = 100;
const rounded = (value: number): number => Math.round(value * PARTS) / PARTS;

export const toImageObjectOut = (object: ImageObject): ImageObjectOut => ({
  label: object.label,
  box: object.box.map(rounded),
  has_outline: object.hasOutline,
  has_keypoints: object.hasKeypoints,
  crowd: object.isCrowd,
});

const toSourceOut = ({
  fileId,
  path,
  sizeBytes,
  kind,
  entry,
  isTurned,
  objects,
}: ObjectSource): ObjectSourceOut => ({
  file_id: fileId,
  path,
  size_bytes: sizeBytes,
  format: kind as ObjectSourceOut['format'],
  entry,
  turned: isTurned,
  objects: [...objects],
});

const toImageOut = ({
  imageId,
  width,
  height,
  objects,
  total,
  sources,
}: AnnotatedImage): AnnotatedImageOut => ({
  file_id: imageId,
  width,
  height,
  objects: objects.map(toImageObjectOut),
  object_count: total,
  sources: sources.map(toSourceOut),
});

export const toImageAnnotationsOut = ({ images, keypointShape }: AnnotatedImages): ImageAnnotationsOut => ({
  items: images.map(toImageOut),
  keypoint_shape: keypointShape && [...keypointShape],
});
