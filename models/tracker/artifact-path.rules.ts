import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import { isWellFormed } from '../../core/text/line-text.js';

const MAX_PATH = 512;

/** What is wrong with a file path below an artifact root, or null. */
export function artifactPathProblem(path: string): string | null {
  if (path === '' || path.length > MAX_PATH) return `must have 1 to ${MAX_PATH} characters`;
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return 'must not contain control characters or backslashes';
  if (!isWellFormed(path)) return 'must be valid UTF-8';
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'must be relative, without empty parts, "." or ".."';
  return null;
}

/**
 * Normalises a directory given by a client: no slashes around it, '' for the root.
 * @throws AppError unprocessable_entity naming the query parameter
 */
export function artifactFolder(path: string): string {
  // Before the slashes are looked for: their search takes the square of the length.
  if (path.length > 2 * MAX_PATH) requireArtifactPath(path);
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  if (trimmed !== '') requireArtifactPath(trimmed);
  return trimmed;
}

/** @throws AppError unprocessable_entity naming the query parameter `path` */
export function requireArtifactPath(path: string): string {
  const problem = artifactPathProblem(path);
  if (problem !== null) throw unprocessable([fieldError(['query', 'path'], problem)]);
  return path;
}
