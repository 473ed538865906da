import { randomBytes } from 'node:crypto';
import { type Operation, documentOf, fillPath, sampleOf } from './operations.js';
import type { TestApi } from '../support/test-api.js';

export interface ProbeAnswer {
  readonly status: number;
  /** Body without `error_id`; null for streams, which are left at once. */
  readonly text: string;
}

export interface ProbeOptions {
  readonly token?: string | null;
  readonly tenant?: string | null;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | null;
  /** Gives the answer up. */
  readonly signal?: AbortSignal;
}

/** Sends one request and reads the answer; an event stream is left as soon as its status is known. */
export async function probe(
  api: TestApi,
  operation: Pick<Operation, 'method' | 'path'>,
  options: ProbeOptions,
): Promise<ProbeAnswer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (options.tenant) headers['x-tenant'] = options.tenant;
  const leave = new AbortController();
  const body = operation.method === 'GET' ? undefined : (options.body ?? undefined);
  const response = await fetch(`${api.base}${options.path ?? operation.path}`, {
    method: operation.method,
    headers,
    body: body as RequestInit['body'],
    signal: options.signal ? AbortSignal.any([leave.signal, options.signal]) : leave.signal,
    redirect: 'manual',
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    leave.abort();
    return { status: response.status, text: '' };
  }
  return { status: response.status, text: (await response.text()).replace(/"error_id":"[^"]*",?/, '') };
}

/** A path whose parameters are no ids at all: whoever is refused must be refused before anybody looks at them. */
export const malformedPath = (operation: Operation): string => fillPath(operation.path, () => '!');

/** A well-formed body (or none) for an operation, with its headers. */
export function sampleBody(
  api: TestApi,
  operation: Operation,
  extra: Record<string, unknown> = {},
): { headers: Record<string, string>; body: string | Buffer | null } {
  const types = Object.keys(operation.content ?? {});
  const [type] = types;
  if (type === undefined) return { headers: {}, body: null };
  const schema = operation.content?.[type]?.schema ?? {};
  if (type === 'application/json')
    return {
      headers: { 'content-type': type },
      body: JSON.stringify({ ...(sampleOf(documentOf(api), schema) as object), ...extra }),
    };
  if (type === 'multipart/form-data') return multipart();
  if (type === 'application/x-www-form-urlencoded')
    return {
      headers: { 'content-type': type },
      body: new URLSearchParams(sampleOf(documentOf(api), schema) as Record<string, string>).toString(),
    };
  return { headers: { 'content-type': type }, body: Buffer.from('x') };
}

/** Required query parameters with sample values, as a query string. */
export function sampleQuery(api: TestApi, operation: Operation): string {
  const given = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(
      (parameter) =>
        [parameter.name, String(sampleOf(documentOf(api), parameter.schema))] as [string, string],
    );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function multipart(): { headers: Record<string, string>; body: Buffer } {
  const boundary = randomBytes(12).toString('hex');
  const text = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx\r\n--${boundary}--\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(text),
  };
}
