import type express from 'express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError, notFound } from '../../../core/errors/app-error.js';
import { isPrivilegedPermission } from '../../../models/access/permission.rules.js';
import { storableBody } from '../bodies/body-text.js';
import { batchParser, formParser, jsonParser } from '../bodies/body-parsers.js';
import { RouteIndex } from './route-index.js';

/** Paths of the contract that are not served yet, where a fixed word stands in the place of a parameter. */
const UNSERVED_PATHS = [
  '/api/v1/runs/compare',
  '/api/v1/models/:name/compare',
  '/api/v1/models/:name/distribution',
  '/api/v1/models/:name/performance',
  '/api/v1/models/:name/stage-history',
] as const;

/** Who may call a route. `public` is a decision too: a route without one is refused at boot. */
export type Access =
  | { readonly kind: 'public' | 'session' | 'admin' | 'webhook' }
  /** Any of the permissions is enough. */
  | { readonly kind: 'user'; readonly permissions: readonly string[] }
  | { readonly kind: 'device'; readonly scopes: readonly string[] }
  | { readonly kind: 'job' | 'tracker' | 'tracker or job' };

export interface RouteEntry {
  readonly method: string;
  readonly pattern: string;
  readonly access: Access;
  /** Null for routes outside /openapi.json; those stand in UNDESCRIBED_ROUTES. */
  readonly operationId: string | null;
  readonly handlers: readonly RequestHandler[];
}

/** Routes whose refusals are audited: those of global administrators, and what changes what a tenant runs or how it is set. */
const isPrivileged = (access: Access): boolean =>
  access.kind === 'admin' || (access.kind === 'user' && access.permissions.some(isPrivilegedPermission));

/** One list of all routes, whoever registered them, with the index that serves them. */
export class RouteTable {
  readonly entries: RouteEntry[] = [];
  private readonly index = new RouteIndex<RouteEntry>();

  constructor() {
    for (const path of UNSERVED_PATHS) this.index.reserve(path);
  }

  add(entry: RouteEntry): void {
    this.index.add(entry.method, entry.pattern, entry);
    this.entries.push(entry);
  }

  /** The one middleware that stands for all routes. */
  readonly middleware: RequestHandler = (req, res, next) => {
    try {
      const found = this.index.find(req.method, req.path);
      if (!found) throw notFound('Path');
      req.params = found.params as Record<string, string>;
      req.context.params = found.params;
      req.context.route = found.value.pattern;
      req.context.operationId = found.value.operationId;
      req.context.isPrivileged = isPrivileged(found.value.access);
      runHandlers(found.value.handlers, 0, req, res, next);
    } catch (error) {
      next(error);
    }
  };
}

/** Runs handlers in turn, as Express would, without a layer for each. */
function runHandlers(
  handlers: readonly RequestHandler[],
  at: number,
  req: Request,
  res: Response,
  done: NextFunction,
): void {
  const handler = handlers[at];
  if (!handler) return done();
  const next = (error?: unknown) => (error ? done(error) : runHandlers(handlers, at + 1, req, res, done));
  try {
    const result: unknown = handler(req, res, next as NextFunction);
    if (result instanceof Promise) result.catch(done);
  } catch (error) {
    done(error);
  }
}

/** One middleware that stands for several in turn. */
export const inOrder =
  (...handlers: readonly RequestHandler[]): RequestHandler =>
  (req, res, next) =>
    runHandlers(handlers, 0, req, res, next);

/** Collects what tsoa's generated code registers, in place of an Express application. */
export function routeCollector(
  found: (method: string, pattern: string, handlers: RequestHandler[]) => void,
): express.Router {
  const on =
    (method: string) =>
    (pattern: string, ...handlers: RequestHandler[]) =>
      found(method, pattern, handlers);
  return {
    get: on('GET'),
    post: on('POST'),
    put: on('PUT'),
    patch: on('PATCH'),
    delete: on('DELETE'),
  } as unknown as express.Router;
}

/** A body that is there but of another type than the route takes is refused, never ignored. */
const requireType =
  (accepted: RegExp, name: string): RequestHandler =>
  (req, _res, next) => {
    const hasBody =
      req.headers['content-length'] !== undefined
        ? req.headers['content-length'] !== '0'
        : req.headers['transfer-encoding'] !== undefined;
    const type = req.headers['content-type'] ?? '';
    next(
      hasBody && !accepted.test(type)
        ? new AppError('unsupported_media_type', `Send the body as ${name}.`)
        : undefined,
    );
  };

/** As FastAPI reads forms: in a body of another type no field is there, and each missing one is named with 422. */
const emptyUnlessForm: RequestHandler = (req, _res, next) => {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) req.body = {};
  next();
};

/** The parsers that stand between a route's authentication and its handler, by what the description says it takes. */
export function bodyHandlers(contentTypes: readonly string[], isBatch = false): RequestHandler[] {
  if (contentTypes.includes('application/json'))
    return [
      requireType(/^application\/([\w.+-]+\+)?json\b/i, 'application/json'),
      ...(isBatch ? batchParser : jsonParser),
      storableBody,
    ];
  if (contentTypes.includes('application/x-www-form-urlencoded'))
    return [emptyUnlessForm, ...formParser, storableBody];
  if (contentTypes.includes('multipart/form-data')) return [requireMultipart, refuseEncoded];
  return [];
}

/** Plain bytes are taken as such or without a stated type; what says to be something else is not what was asked for. */
export const streamHandlers = (contentTypes: readonly string[]): RequestHandler[] =>
  contentTypes.includes('application/octet-stream')
    ? [requireType(/^(application\/octet-stream\b.*)?$/i, 'application/octet-stream'), refuseEncoded]
    : [];

/** Bytes are stored as they come, and nobody would unpack them afterwards. */
const refuseEncoded: RequestHandler = (req, _res, next) => {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  next(
    /^(identity)?$/i.test(encoding)
      ? undefined
      : new AppError('unsupported_media_type', 'Send the bytes as they are, without Content-Encoding.'),
  );
};

const requireMultipart: RequestHandler = (req, _res, next) => {
  const type = req.headers['content-type'] ?? '';
  next(
    /^multipart\/form-data\b.*boundary=/i.test(type)
      ? undefined
      : new AppError('unsupported_media_type', 'Send multipart/form-data with one field named file.'),
  );
};
