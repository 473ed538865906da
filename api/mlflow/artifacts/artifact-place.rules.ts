import { badRequest } from '../../../core/errors/app-error.js';

/** What an address of the artifact proxy stands for: files of a run, of a logged model or of a registered version. */
export interface ArtifactPlace {
  readonly kind: 'run' | 'logged-model' | 'version';
  readonly id: string;
  /** Below its root; '' for the root. */
  readonly path: string;
}

const PLACES = [
  ['run', /^([0-9a-f]{32})\/artifacts(?:\/(.*))?$/s],
  ['logged-model', /^models\/(m-[0-9a-f]{32})\/artifacts(?:\/(.*))?$/s],
  ['version', /^versions\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\/(.*))?$/s],
] as const;

/** @throws AppError bad_request for a path that belongs to nothing */
export function artifactPlace(path: string): ArtifactPlace {
  const trimmed = path.replace(/^\/{1,2}/, '').replace(/\/{1,2}$/, '');
  for (const [kind, pattern] of PLACES) {
    const found = pattern.exec(trimmed);
    if (found) return { kind, id: found[1] as string, path: found[2] ?? '' };
  }
  throw badRequest(
    'Invalid artifact path: it begins with RUN_ID/artifacts, models/MODEL_ID/artifacts or versions/VERSION_ID.',
  );
}

export const loggedModelRoot = (modelId: string): string => `mlflow-artifacts:/models/${modelId}/artifacts`;
export const versionRoot = (versionId: string): string => `mlflow-artifacts:/versions/${versionId}`;
