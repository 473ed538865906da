import type { Request } from 'express';
import { type FieldError, MAX_FIELD_ERRORS } from '../../../core/errors/app-error.js';

/** What tsoa reports of a request that does not fit: a message by input, and the value, which is never passed on. */
export type ReportedFields = Readonly<Record<string, { readonly message: string; readonly value?: unknown }>>;

const UNION = 'Could not match the union against any of the items. Issues: ';
const MAX_MESSAGE = 300;
/** Fields of forms come without the name of the body in front. */
const FORM_FIELDS: ReadonlySet<string> = new Set(['file']);
/** Alternatives of a nullable field that say only "or null". */
const OR_NULL = /^should be (one of the following; \[null\]|null)$/;

/** The first MAX_FIELD_ERRORS. Messages only, never values: a rejected body may hold a password. Inputs inside alternatives are named by their own path. */
export function fieldErrors(fields: ReportedFields, req: RejectedRequest): FieldError[] {
  return Object.entries(fields)
    .slice(0, MAX_FIELD_ERRORS)
    .flatMap(([key, { message }]) => flatten(key, message).map(([place, text]) => ({ key, place, text })))
    .slice(0, MAX_FIELD_ERRORS)
    .map(({ key, place, text }) => ({ loc: locationOf(place, isOfBody(key), req), text }))
    .map(({ loc, text }) => ({ loc, msg: inWords(text).slice(0, MAX_MESSAGE), type: 'value_error' }));
}

const ONE_OF = /^should be one of the following; \[(.*)\]$/s;

/** In the words of whoever reads the answer. */
const inWords = (message: string): string =>
  message
    .replace(ONE_OF, (_all, values: string) => `must be one of ${values.replaceAll("','", "', '")}`)
    .replace(/^Not match in '.*'$/s, 'has another form than the description of the call asks for')
    .replace(
      /^(min|max) (-?\d+(\.\d+)?)$/,
      (_all, end: string, limit: string) => `must be at ${end === 'min' ? 'least' : 'most'} ${limit}`,
    );

/** What distinguishes path, query and body. */
export interface RejectedRequest {
  readonly query: Request['query'];
  readonly body?: unknown;
  readonly context?: { readonly params: Readonly<Record<string, string>> };
}

/** A union's message is JSON of what each alternative refused, values included: keeps the deepest places and their messages. */
function flatten(key: string, message: string): Array<[string, string]> {
  if (!message.startsWith(UNION)) return [[key, message]];
  const alternatives = parse(message.slice(UNION.length));
  if (alternatives === null) return [[key, 'has none of the allowed forms']];
  const found = alternatives.flatMap((alternative) =>
    Object.entries(alternative).flatMap(([place, issue]) => flatten(place, String(issue.message))),
  );
  const specific = found.filter(([, text]) => !OR_NULL.test(text));
  const depth = (place: string) => place.split('.').length;
  const deepest = specific.reduce((most, [place]) => Math.max(most, depth(place)), 0);
  const kept = new Map(
    oneOfEach(specific.filter(([place]) => depth(place) === deepest)).map(([place, text]) => [
      `${place}|${text}`,
      [place, text] as [string, string],
    ]),
  );
  return kept.size > 0 ? [...kept.values()] : [[key, 'has none of the allowed forms']];
}

/** Each value of a choice is an alternative of its own: one message for a place names them all. */
function oneOfEach(found: ReadonlyArray<[string, string]>): Array<[string, string]> {
  const choices = new Map<string, Set<string>>();
  for (const [place, text] of found) {
    const value = ONE_OF.exec(text)?.[1];
    if (value !== undefined) choices.set(place, (choices.get(place) ?? new Set()).add(value));
  }
  const rest = found.filter(([, text]) => !ONE_OF.test(text));
  return [
    ...rest,
    ...[...choices].map(([place, values]): [string, string] => [
      place,
      `should be one of the following; [${[...values].join(',')}]`,
    ]),
  ];
}

function parse(text: string): Array<Record<string, { message?: unknown }>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const isOfBody = (key: string): boolean => /^(body|requestBody)(\.|$)/.test(key);

/** @param isWithinBody places inside an alternative of the body come without its name */
function locationOf(place: string, isWithinBody: boolean, req: RejectedRequest): Array<string | number> {
  const parts = place
    .split('.')
    .map((part) => (/^\$?\d+$/.test(part) ? Number(part.replace('$', '')) : part));
  const first = String(parts[0]);
  if (isWithinBody) return ['body', ...(isOfBody(place) ? parts.slice(1) : parts)];
  if (Object.hasOwn(req.context?.params ?? {}, first)) return ['path', ...parts];
  // Entries of lists in the body come without its name too.
  if (FORM_FIELDS.has(first) || Object.hasOwn(Object(req.body), first)) return ['body', ...parts];
  // Query objects (`@Queries`) come with the name of the handler's argument in front.
  return ['query', ...(parts.length > 1 && !(first in req.query) ? parts.slice(1) : parts)];
}
