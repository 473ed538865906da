import type { ErrorRequestHandler } from 'express';
import type { Logger } from '../../../core/logging/logger.js';
import { toAppError } from '../../http/answers/error-middleware.js';
import { sendMlflowError } from './mlflow-errors.js';

/** Answers whatever is refused below `/tracker`, unknown paths included. */
export const trackerErrors =
  (logger: Logger): ErrorRequestHandler =>
  (thrown, req, res, _next) => {
    const error = toAppError(thrown, req);
    const { requestId, route } = req.context;
    if (error.code === 'internal_error')
      logger.error({ err: thrown, request_id: requestId, route }, 'a tracker call failed');
    // What was not read of the body would be taken for the next request.
    if (!req.readableEnded) res.setHeader('Connection', 'close');
    sendMlflowError(res, error, route !== null);
  };
