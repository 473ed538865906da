import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../../core/errors/app-error.js';
import { BATCH_LIMITS } from '../../../models/tracker/run-batch.rules.js';
import { toAppError } from '../../http/answers/error-middleware.js';
import { withinLimit } from '../../http/bodies/body-limit.js';
import { verifyJson } from '../../http/bodies/body-parsers.js';
import { inOrder } from '../../http/routing/route-table.js';

const parserOf = (mostBytes: number): RequestHandler =>
  inOrder(
    withinLimit(mostBytes),
    express.json({ limit: mostBytes, strict: true, type: () => true, verify: verifyJson }),
  );

const parser = parserOf(BATCH_LIMITS.bodyBytes);
/** Datasets come with their schema and profile as texts. */
const largeParser = parserOf(20 * 1024 ** 2);

/** The JSON of a request, whatever type it says to be. @throws AppError bad_request, payload_too_large */
export const readJson = (req: Request, res: Response, isLarge = false): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const parse = isLarge ? largeParser : parser;
    void parse(req, res, (error?: unknown) => (error ? reject(asMlflow(error, req)) : resolve(req.body)));
  });

/** A body that cannot be read is a bad request here, never 422. */
function asMlflow(error: unknown, req: Request): AppError {
  const known = toAppError(error, req);
  return known.code === 'unprocessable_entity' ? new AppError('bad_request', known.message) : known;
}
