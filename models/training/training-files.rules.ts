import type { ManifestFile } from '../datasets/validation/manifest.types.js';
import type { ExperimentConfig } from './experiment.types.js';

/** The files of a frozen dataset that an experiment needs: those of the chosen classes, or all. */
export function trainingFiles(
  files: readonly ManifestFile[],
  config: Pick<ExperimentConfig, 'task' | 'classes' | 'split'>,
): ManifestFile[] {
  const wanted = new Set(config.classes);
  // With parts given by folders, the first folder is the part and the class lies below it.
  return files.filter(
    (file) =>
      (file.kind === 'image' || file.kind === 'annotation') &&
      (wanted.size === 0 ||
        config.split.mode === 'existing' ||
        // Annotations name the classes of other tasks, and the folders of their images do not.
        config.task !== 'classification' ||
        file.label === undefined ||
        wanted.has(file.label)),
  );
}
