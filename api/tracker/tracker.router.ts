import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import { BATCH_LIMITS } from '../../models/tracker/run-batch.rules.js';
import { toAppError } from '../http/error-middleware.js';
import type { RouteTable } from '../http/route-table.js';
import type { JobLoggingService } from './job-logging.service.js';
import { sendMlflowError } from './mlflow-errors.js';

const API = '/tracker/api/2.0';

/** The part of the MLflow interface that jobs use, with its own errors. */
export function registerTracker(routes: RouteTable, service: JobLoggingService, logger: Logger): void {
  const add = (method: string, pattern: string, work: (req: Request, res: Response) => Promise<void>) =>
    routes.add({ method, pattern, access: { kind: 'job' }, operationId: null, handlers: [answering(work, logger)] });

  add('POST', `${API}/mlflow/runs/log-batch`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    await service.logBatch(claims, await readJson(req, res));
    res.json({});
  });

  add('PUT', `${API}/mlflow-artifacts/artifacts/:run_id/artifacts/*path`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const length = req.headers['content-length'];
    await service.putArtifact(claims, String(req.params.run_id), String(req.params.path), req, length === undefined ? null : Number(length), gone.signal);
    res.json({});
  });
}

const parser = express.json({ limit: BATCH_LIMITS.bodyBytes, strict: true, type: () => true });

const readJson = (req: Request, res: Response): Promise<unknown> =>
  new Promise((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error ? reject(asMlflow(error, req)) : resolve(req.body)));
  });

/** A body that cannot be read is a bad request here, never 422. */
function asMlflow(error: unknown, req: Request): AppError {
  const known = toAppError(error, req);
  return known.code === 'unprocessable_entity' ? new AppError('bad_request', known.message) : known;
}

const answering =
  (work: (req: Request, res: Response) => Promise<void>, logger: Logger): RequestHandler =>
  async (req, res) => {
    try {
      await work(req, res);
    } catch (thrown) {
      const error = toAppError(thrown, req);
      if (error.code === 'internal_error') logger.error({ err: thrown, request_id: req.context.requestId, route: req.context.route }, 'a tracker call failed');
      // What was not read of the body would be taken for the next request.
      if (!req.readableEnded) res.setHeader('Connection', 'close');
      sendMlflowError(res, error);
    }
  };
