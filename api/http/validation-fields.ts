import type { Request } from 'express';
import type { FieldError } from '../../core/errors/app-error.js';

/** What tsoa reports of a request that does not fit: a message by input, and the value, which is never passed on. */
export type ReportedFields = Readonly<Record<string, { readonly message: string; readonly value?: unknown }>>;

const UNION = 'Could not match the union against any of the items. Issues: ';
const MAX_MESSAGE = 300;
/** Alternatives of a nullable field that say only "or null". */
const OR_NULL = /^should be (one of the following; \[null\]|null)$/;

/** Messages only, never values: a rejected body may hold a password. Inputs inside alternatives are named by their own path. */
export function fieldErrors(fields: ReportedFields, req: RejectedRequest): FieldError[] {
  return Object.entries(fields)
    .flatMap(([key, { message }]) => flatten(key, message))
    .map(([key, message]) => ({ loc: locationOf(key, req), msg: message.slice(0, MAX_MESSAGE), type: 'value_error' }));
}

/** What tells path, query and body apart. */
export interface RejectedRequest {
  readonly method: string;
  readonly query: Request['query'];
  readonly context?: { readonly params: Readonly<Record<string, string>> };
}

/** A union's message is JSON of what each alternative refused, values included: keeps the deepest places and their messages. */
function flatten(key: string, message: string): Array<[string, string]> {
  if (!message.startsWith(UNION)) return [[key, message]];
  const alternatives = parse(message.slice(UNION.length));
  if (alternatives === null) return [[key, 'has none of the allowed forms']];
  const found = alternatives.flatMap((alternative) => Object.entries(alternative).flatMap(([place, issue]) => flatten(place, String(issue.message))));
  const telling = found.filter(([, text]) => !OR_NULL.test(text));
  const depth = (place: string) => place.split('.').length;
  const deepest = Math.max(0, ...telling.map(([place]) => depth(place)));
  const kept = new Map(telling.filter(([place]) => depth(place) === deepest).map(([place, text]) => [`${place}|${text}`, [place, text] as [string, string]]));
  return kept.size > 0 ? [...kept.values()] : [[key, 'has none of the allowed forms']];
}

function parse(text: string): Array<Record<string, { message?: unknown }>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function locationOf(key: string, req: RejectedRequest): Array<string | number> {
  const parts = key.split('.').map((part) => (/^\$?\d+$/.test(part) ? Number(part.replace('$', '')) : part));
  const first = String(parts[0]);
  if (first === 'body' || first === 'requestBody') return ['body', ...parts.slice(1)];
  if (Object.hasOwn(req.context?.params ?? {}, first)) return ['path', ...parts];
  // Query objects (`@Queries`) come with the name of the handler's argument in front.
  if (parts.length > 1 && !(first in req.query) && req.method === 'GET') return ['query', ...parts.slice(1)];
  return req.method === 'GET' || first in req.query ? ['query', ...parts] : ['body', ...parts];
}
