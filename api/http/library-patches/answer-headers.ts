import { ServerResponse } from 'node:http';
import express, { type Express, type Response } from 'express';

/**
 * A JSON answer is data, never a page: nothing in it may be guessed to be another type, run, framed, embedded by another
 * origin or tell where it came from. Few and short, because each header costs as much as the token check.
 */
const DATA_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const;

/** Everything else may be opened by a browser: our pages load from us alone. */
const PAGE_HEADERS: ReadonlyArray<readonly [string, string]> = [
  ['X-Content-Type-Options', 'nosniff'],
  [
    'Content-Security-Policy',
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['X-Frame-Options', 'DENY'],
];

const JSON_TYPE = 'application/json; charset=utf-8';
type WriteHead = (this: Response, ...args: readonly unknown[]) => Response;
const nodeWriteHead = ServerResponse.prototype.writeHead as unknown as WriteHead;

/** Adds the standing headers to whatever the application answers, at the moment when its head is written. */
export function installAnswerHeaders(app: Express): void {
  Object.assign(app.response, { json: sendJson, writeHead: writeHeadWithStandingHeaders });
}

/** Express's `json` in one step for the usual answer, which has set no header of its own yet. */
function sendJson(this: Response, value: unknown): Response {
  const { statusCode } = this;
  if (this.getHeaderNames().length > 0 || statusCode === 204 || statusCode === 205 || statusCode === 304)
    return express.response.json.call(this, value);
  const body = JSON.stringify(value) ?? '';
  // A flat list spares Node the map that single headers are collected in.
  nodeWriteHead.call(this, statusCode, [
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    Buffer.byteLength(body),
    'X-Request-Id',
    this.req.context.requestId,
    ...DATA_HEADERS,
  ]);
  this.end(body);
  return this;
}

function writeHeadWithStandingHeaders(this: Response, ...args: readonly unknown[]): Response {
  for (const [name, value] of PAGE_HEADERS) if (!this.hasHeader(name)) this.setHeader(name, value);
  this.setHeader('X-Request-Id', this.req.context.requestId);
  return nodeWriteHead.call(this, ...args);
}
