import type { RequestHandler } from 'express';
import { storableParameters } from '../bodies/body-text.js';
import { type Access, bodyHandlers, type RouteEntry, streamHandlers } from './route-table.js';

/** The part of /openapi.json that the server itself reads. */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly 'x-access': string;
  /** Any of them is enough. */
  readonly 'x-permissions'?: readonly string[];
  readonly 'x-scopes'?: readonly string[];
  /** The handler reads the body as a stream: no parser may touch it. */
  readonly 'x-stream-body'?: boolean;
  /** It starts long work: refused while much of it waits. */
  readonly 'x-long-work'?: boolean;
  /** `batch`: many records, in a larger body than others. */
  readonly 'x-body-limit'?: 'batch';
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/** `/a/:b\:act` (routes) and `/a/{b}:act` (description) in one spelling. */
const patternToPath = (pattern: string): string =>
  pattern
    .replace(/:(\w+)/g, (whole, name: string, at: number) => (pattern[at - 1] === '\\' ? whole : `{${name}}`))
    .replaceAll('\\:', ':');

/** What the description says of a route; undefined when it does not know it. */
export const describedOperation = (
  document: OpenApiDocument,
  method: string,
  pattern: string,
): OpenApiOperation | undefined => document.paths[patternToPath(pattern)]?.[method.toLowerCase()];

/**
 * Joins a generated route with its description.
 * @param backlogGuard stands between authentication and body of operations that start long work
 * @throws Error when the description lacks the route or the route's access decision: the process must not start
 */
export function describedRoute(
  document: OpenApiDocument,
  method: string,
  pattern: string,
  handlers: readonly RequestHandler[],
  backlogGuard: RequestHandler,
): RouteEntry {
  const operation = describedOperation(document, method, pattern);
  if (!operation) throw new Error(`${method} ${pattern} is not in openapi.json: run the generator`);
  const [first, ...rest] = handlers;
  // The first generated handler authenticates; bodies are read only for those who may call.
  const types = Object.keys(operation.requestBody?.content ?? {});
  const parsers =
    operation['x-stream-body'] === true
      ? streamHandlers(types)
      : bodyHandlers(types, operation['x-body-limit'] === 'batch');
  const admitted = operation['x-long-work'] === true ? [backlogGuard] : [];
  const chain = first ? [first, ...admitted, storableParameters, ...parsers, ...rest] : [];
  return {
    method,
    pattern,
    access: accessOfOperation(operation),
    operationId: operation.operationId,
    handlers: chain,
  };
}

function accessOfOperation(operation: OpenApiOperation): Access {
  const kind = operation['x-access'];
  if (kind === 'user') {
    const permissions = operation['x-permissions'] ?? [];
    if (permissions.length === 0) throw new Error(`${operation.operationId} names no permission`);
    return { kind, permissions };
  }
  if (kind === 'device') return { kind, scopes: operation['x-scopes'] ?? [] };
  if (kind === 'public' || kind === 'session' || kind === 'admin' || kind === 'webhook') return { kind };
  throw new Error(`${operation.operationId} has no access decision`);
}

/** Every described operation must be served. @throws Error naming those that are not */
export function assertAllServed(document: OpenApiDocument, entries: readonly RouteEntry[]): void {
  const served = new Set(entries.map((entry) => `${entry.method} ${patternToPath(entry.pattern)}`));
  const missing = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .map((method) => `${method.toUpperCase()} ${path}`)
      .filter((key) => !served.has(key)),
  );
  if (missing.length > 0) throw new Error(`Described but not served: ${missing.join(', ')}`);
}
