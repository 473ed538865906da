import { lineProblem } from '../../core/text/line-text.js';
import { fieldError, unprocessable } from '../../core/errors/app-error.js';

/**
 * Words that stand where a model's name would stand in a path; dots would be folded by
 * clients.
 */
const RESERVED = new Set(['summary', '.', '..']);

export const MAX_MODEL_NAME = 128;
/** Printable characters without `/`, `:` and `%`. */
const FORBIDDEN = /[/:%\p{Cf}\p{Co}\p{Cn}]/u;

/** Null when the name may be given to a model, otherwise what is wrong with it. */
export function modelNameProblem(name: string): string | null {
  const length = [...name].length;
  if (length < 1 || length > MAX_MODEL_NAME) return `must have 1 to ${MAX_MODEL_NAME} characters`;
  const problem = lineProblem(name);
  if (problem !== null) return problem;
  if (name.trim() !== name) return 'must not begin or end with white space';
  if (FORBIDDEN.test(name)) return "must be printable and without '/', ':' and '%'";
  if (RESERVED.has(name)) return 'is a reserved word; choose another name';
  return null;
}

/** @throws AppError unprocessable_entity naming the field */
export function assertModelName(name: string, field: string): void {
  const problem = modelNameProblem(name);
  if (problem !== null) throw unprocessable([fieldError(['body', field], problem)]);
}
