import { isUtf8 } from 'node:buffer';
import querystring from 'node:querystring';
import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler } from 'express';
import { AppError, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { withinLimit } from './body-limit.js';
import { invalidUtf8, refuseUnstorable } from './body-text.js';
import { urlText } from '../routing/url-text.js';

const MAX_JSON_DEPTH = 100;
/** What takes an object apart asks several times for each key; no call takes nearly as many. */
const MAX_JSON_KEYS = 20_000;
const MAX_JSON_BYTES = 1_048_576;
/** Batches of records: their keys are limited by their bytes alone, and what records hold is not taken apart. */
const MAX_BATCH_BYTES = 5_242_880;
const MAX_FORM_BYTES = 16_384;

const refuseBody = (problem: string) => unprocessable([fieldError(['body'], problem)]);

/** Refuses JSON that is costly to walk, in one pass over its bytes (which mean something else in UTF-16), and what is no UTF-8. */
export const verifyJson = (_req: unknown, _res: unknown, body: Buffer, encoding: string): void =>
  verifyJsonWithin(MAX_JSON_KEYS, body, encoding);

function verifyJsonWithin(maxKeys: number, body: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new AppError('unsupported_media_type', 'Send the body as UTF-8.');
  let [depth, keys, inText] = [0, 0, false];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (inText) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x3a) keys += 1;
    if (depth > MAX_JSON_DEPTH) throw refuseBody(`is nested more than ${MAX_JSON_DEPTH} levels deep`);
    if (keys > maxKeys) throw refuseBody(`holds more than ${maxKeys} keys`);
  }
  if (!isUtf8(body)) throw invalidUtf8(body);
}

/** The parser itself would take an escape of no character as it stands. */
function verifyForm(_req: unknown, _res: unknown, body: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') return;
  refuseUnstorable(querystring.parse(body.toString('latin1'), '&', '=', { decodeURIComponent: urlText }), [
    'body',
  ]);
}

const parsed = (mostBytes: number, parser: RequestHandler): RequestHandler[] => [
  withinLimit(mostBytes),
  parser,
];

export const jsonParser = parsed(
  MAX_JSON_BYTES,
  express.json({
    limit: MAX_JSON_BYTES,
    strict: false,
    type: ['application/json', 'application/*+json'],
    verify: verifyJson,
  }),
);
/** For batches of records, whose hash identifies a repeat where no key does. */
export const batchParser = parsed(
  MAX_BATCH_BYTES,
  express.json({
    limit: MAX_BATCH_BYTES,
    strict: false,
    type: ['application/json', 'application/*+json'],
    verify: (req, _res, body, encoding) => {
      verifyJsonWithin(Number.POSITIVE_INFINITY, body, encoding);
      (req as Request).context.bodyHash = createHash('sha256').update(body).digest('hex');
    },
  }),
);
export const formParser = parsed(
  MAX_FORM_BYTES,
  express.urlencoded({ limit: MAX_FORM_BYTES, extended: false, parameterLimit: 20, verify: verifyForm }),
);
