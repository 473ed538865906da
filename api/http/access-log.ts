import type { RequestHandler } from 'express';
import type { Logger } from '../../core/logging/logger.js';

/** One line a request when it ends. Routes are logged as patterns: paths may carry names people chose. */
export function accessLog(logger: Logger, observe: (method: string, route: string, status: number, seconds: number) => void): RequestHandler {
  return (req, res, next) => {
    res.on('close', () => {
      const { context } = req;
      const seconds = Number(process.hrtime.bigint() - context.startedAt) / 1e9;
      const route = context.route ?? '(unrouted)';
      observe(req.method, route, res.statusCode, seconds);
      logger.info({
        request_id: context.requestId,
        method: req.method,
        route,
        status: res.statusCode,
        ms: Math.round(seconds * 1e5) / 100,
        user: context.principal?.userId,
        tenant: context.access?.tenantId,
        aborted: res.writableFinished ? undefined : true,
      });
    });
    next();
  };
}
