import express, { type Request, type Response } from 'express';
import { AppError } from '../../core/errors/app-error.js';
import { BATCH_LIMITS } from '../../models/tracker/run-batch.rules.js';
import { withinLimit } from '../http/bodies/body-limit.js';
import { verifyJson } from '../http/bodies/body-parsers.js';
import { toAppError } from '../http/answers/error-middleware.js';
import { inOrder, type RouteTable } from '../http/routing/route-table.js';
import { MLFLOW } from '../mlflow/tracker-errors.js';
import type { JobLoggingService } from './job-logging.service.js';

/** The part of the MLflow interface that jobs use, by the token of their attempt. */
export function registerJobLogging(routes: RouteTable, service: JobLoggingService): void {
  const add = (method: string, pattern: string, work: (req: Request, res: Response) => Promise<void>) =>
    routes.add({ method, pattern, access: { kind: 'job' }, operationId: null, handlers: [work] });

  add('POST', `${MLFLOW}/mlflow/runs/log-batch`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    await service.logBatch(claims, await readJson(req, res));
    res.json({});
  });

  add('PUT', `${MLFLOW}/mlflow-artifacts/artifacts/:run_id/artifacts/*path`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const length = req.headers['content-length'];
    await service.putArtifact(
      claims,
      String(req.params.run_id),
      String(req.params.path),
      req,
      length === undefined ? null : Number(length),
      gone.signal,
    );
    res.json({});
  });
}

const parser = inOrder(
  withinLimit(BATCH_LIMITS.bodyBytes),
  express.json({ limit: BATCH_LIMITS.bodyBytes, strict: true, type: () => true, verify: verifyJson }),
);

const readJson = (req: Request, res: Response): Promise<unknown> =>
  new Promise((resolve, reject) => {
    void parser(req, res, (error?: unknown) => (error ? reject(asMlflow(error, req)) : resolve(req.body)));
  });

/** A body that cannot be read is a bad request here, never 422. */
function asMlflow(error: unknown, req: Request): AppError {
  const known = toAppError(error, req);
  return known.code === 'unprocessable_entity' ? new AppError('bad_request', known.message) : known;
}
