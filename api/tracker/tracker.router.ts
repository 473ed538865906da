import express, { type Request, type RequestHandler, type Response } from 'express';
import { AppError, badRequest, notFound } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import { BATCH_LIMITS } from '../../models/tracker/run-batch.rules.js';
import { toAppError } from '../http/error-middleware.js';
import type { RouteTable } from '../http/route-table.js';
import { requireTokenPermission, type TokenAuthenticator } from '../auth/token-authenticator.js';
import type { JobLoggingService } from './job-logging.service.js';
import { sendMlflowError } from './mlflow-errors.js';
import { toMlflowRun } from './mlflow-run.mapper.js';
import type { RunsService } from './runs.service.js';

const API = '/tracker/api/2.0';

interface TrackerParts {
  readonly jobs: JobLoggingService;
  readonly runs: RunsService;
  readonly tokens: TokenAuthenticator;
}

/** The part of the MLflow interface that jobs and holders of tracker tokens use, with its own errors. */
export function registerTracker(routes: RouteTable, { jobs: service, runs, tokens }: TrackerParts, logger: Logger): void {
  const add = (kind: 'job' | 'tracker', method: string, pattern: string, work: (req: Request, res: Response) => Promise<void>) =>
    routes.add({ method, pattern, access: { kind }, operationId: null, handlers: [answering(work, logger)] });

  add('tracker', 'GET', `${API}/mlflow/runs/get`, async (req, res) => {
    const holder = await tokens.authenticateAccessToken('tracker', bearer(req));
    requireTokenPermission(holder, 'VIEW');
    const { run, points } = await runs.readWithPoints(holder.tenant, runIdOf(req));
    res.json({ run: toMlflowRun(run, points) });
  });

  add('job', 'POST', `${API}/mlflow/runs/log-batch`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    await service.logBatch(claims, await readJson(req, res));
    res.json({});
  });

  add('job', 'PUT', `${API}/mlflow-artifacts/artifacts/:run_id/artifacts/*path`, async (req, res) => {
    const claims = service.claims(req.headers.authorization);
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const length = req.headers['content-length'];
    await service.putArtifact(claims, String(req.params.run_id), String(req.params.path), req, length === undefined ? null : Number(length), gone.signal);
    res.json({});
  });
}

const bearer = (req: Request): string => /^Bearer +([^ ]{1,512})$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';

/** `run_uuid` is the older name of the same parameter. */
function runIdOf(req: Request): string {
  const given = req.query.run_id ?? req.query.run_uuid;
  if (typeof given !== 'string' || given === '') throw badRequest("Missing value for required parameter 'run_id'.");
  if (!/^[0-9a-f]{32}$/.test(given)) throw notFound('Run');
  return given;
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
