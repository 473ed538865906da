import type { Request, RequestHandler } from 'express';
import { type FieldError, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { isWellFormed } from '../../core/text/line-text.js';

const MAX_FINDINGS = 10;

/** What no part of the platform can store: PostgreSQL takes no NUL, and half a surrogate pair is no text in UTF-8. */
function problemOf(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain a NUL character';
  return isWellFormed(text) ? null : 'must be well-formed Unicode, without half of a surrogate pair';
}

/** Texts and keys inside a parsed body that cannot be stored, each with its place. Depth is limited before (see refuseDeepJson). */
function findUnstorable(value: unknown, loc: ReadonlyArray<string | number>, found: FieldError[]): void {
  if (found.length >= MAX_FINDINGS) return;
  if (typeof value === 'string') {
    const problem = problemOf(value);
    if (problem !== null) found.push(fieldError(loc, problem));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnstorable(item, [...loc, index], found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (problemOf(key) !== null) found.push(fieldError(loc, `has a key that ${problemOf(key)}`));
      else findUnstorable(item, [...loc, key], found);
    }
  }
}

function refuse(found: readonly FieldError[]): void {
  if (found.length > 0) throw unprocessable(found);
}

/** Refuses queries that hold what cannot be stored, by the name of the parameter. A path that does names nothing. */
export const storableParameters: RequestHandler = (req, _res, next) => {
  if (Object.values(req.params).some((value) => problemOf(String(value)) !== null)) throw notFound('Resource');
  const found: FieldError[] = [];
  for (const [name, value] of Object.entries(req.query)) findUnstorable(value, ['query', isWellFormed(name) ? name : ''], found);
  refuse(found);
  next();
};

/** Refuses a JSON body that is a bare text, number, boolean or null, and one that holds what cannot be stored. */
export const storableBody: RequestHandler = (req: Request, _res, next) => {
  const body: unknown = req.body;
  if (body === undefined) return next();
  if (typeof body !== 'object' || body === null) throw unprocessable([fieldError(['body'], 'must be a JSON object', 'model_attributes_type')]);
  const found: FieldError[] = [];
  findUnstorable(body, ['body'], found);
  refuse(found);
  next();
};
