import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler } from 'express';
import {
  type AppError,
  type FieldError,
  fieldError,
  notFound,
  unprocessable,
} from '../../../core/errors/app-error.js';
import { isWellFormed } from '../../../core/text/line-text.js';

const MAX_FINDINGS = 10;

type Place = ReadonlyArray<string | number>;

/** What no part of the platform can store: PostgreSQL takes no NUL, and half a surrogate pair is no text in UTF-8. */
function problemOf(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain a NUL character';
  return isWellFormed(text)
    ? null
    : 'must be well-formed Unicode: valid UTF-8, without half of a surrogate pair';
}

/** Texts and keys inside a parsed body that cannot be stored, each with its place. Depth is limited before (see verifyJson). */
function findUnstorable(value: unknown, loc: Place, found: FieldError[], problemIn = problemOf): void {
  if (found.length >= MAX_FINDINGS) return;
  if (typeof value === 'string') {
    const problem = problemIn(value);
    if (problem !== null) found.push(fieldError(loc, problem));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findUnstorable(item, [...loc, index], found, problemIn);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const problem = problemIn(key);
      if (problem !== null) found.push(fieldError(loc, `has a key that ${problem}`));
      else findUnstorable(item, [...loc, key], found, problemIn);
    }
  }
}

/** As good as all bodies are: asked without noting any place. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return problemOf(value) === null;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  for (const [key, item] of Object.entries(value))
    if (problemOf(key) !== null || !isStorable(item)) return false;
  return true;
}

/** @throws AppError unprocessable_entity with the places of what cannot be stored */
export function refuseUnstorable(value: unknown, loc: Place): void {
  if (isStorable(value)) return;
  const found: FieldError[] = [];
  findUnstorable(value, loc, found);
  if (found.length > 0) throw unprocessable(found);
}

/** The refusal of JSON that is no UTF-8, with the places: read byte by character, it keeps its form and shows which texts are broken. */
export function invalidUtf8(body: Buffer): AppError {
  const found: FieldError[] = [];
  const problemIn = (bytes: string) => (isUtf8(Buffer.from(bytes, 'latin1')) ? null : 'must be valid UTF-8');
  try {
    // Escapes stand for characters, not for bytes.
    findUnstorable(
      JSON.parse(body.toString('latin1').replace(/\\(u[0-9a-f]{4}|.)/gi, 'x')),
      ['body'],
      found,
      problemIn,
    );
  } catch {
    // Not JSON either.
  }
  const named = found.map(({ loc, msg }) =>
    fieldError(
      loc.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1').toString() : part)),
      msg,
    ),
  );
  return unprocessable(named.length > 0 ? named : [fieldError(['body'], 'must be valid UTF-8')]);
}

/** Where a malformed id is one that nobody has. */
const NOT_FOUND_IF_MALFORMED: ReadonlySet<string> = new Set(['/users/:id']);

/** Refuses paths and queries that hold what cannot be stored, by the name of the parameter. */
export const storableParameters: RequestHandler = (req, _res, next) => {
  const { route } = req.context;
  if (
    route !== null &&
    NOT_FOUND_IF_MALFORMED.has(route) &&
    Object.values(req.params).some((value) => problemOf(String(value)) !== null)
  )
    throw notFound('User');
  refuseUnstorable(req.params, ['path']);
  refuseUnstorable(req.query, ['query']);
  next();
};

/** Refuses a JSON body that is a bare text, number, boolean or null, and one that holds what cannot be stored. */
export const storableBody: RequestHandler = (req: Request, _res, next) => {
  const body: unknown = req.body;
  if (body === undefined) return next();
  if (typeof body !== 'object' || body === null)
    throw unprocessable([fieldError(['body'], 'must be a JSON object', 'model_attributes_type')]);
  refuseUnstorable(body, ['body']);
  next();
};
