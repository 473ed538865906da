import type { ManifestFile } from '../datasets/validation/manifest.types.js';
import type { ExperimentConfig } from './experiment.types.js';

/** Images with the same bytes as another one. */
export interface ImageCopies {
  /** All but one of each group. */
  readonly images: number;
  /** Those of val and test whose bytes are in train too. */
  readonly leaked: number;
}

export function imageCopies(files: readonly ManifestFile[]): ImageCopies {
  const images = files.filter(({ kind }) => kind === 'image');
  const train = new Set(images.filter(({ split }) => split === 'train').map(({ sha256 }) => sha256));
  return {
    images: images.length - new Set(images.map(({ sha256 }) => sha256)).size,
    leaked: images.filter(({ split, sha256 }) => split && split !== 'train' && train.has(sha256)).length,
  };
}

/** The model would see what it is measured by. @returns a warning for people, or null */
export function copiesWarning(mode: ExperimentConfig['split']['mode'], copies: ImageCopies): string | null {
  if (mode === 'existing')
    return copies.leaked === 0
      ? null
      : `${copies.leaked} images of val and test have the same bytes as one of train: the results will look better than they are; delete the copies`;
  return copies.images === 0
    ? null
    : `${copies.images} images have the same bytes as another one, and a split by ratio may put both into different parts; delete the copies`;
}
