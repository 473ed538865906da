import type { RequestHandler } from 'express';
import type { Logger } from '../../../core/logging/logger.js';
import { PROBE_PATHS } from './probe-paths.js';

/** One line a request when it ends; of probes only where everything is logged. Routes are logged as patterns: paths may carry names people chose. */
export function accessLog(
  logger: Logger,
  observe: (method: string, route: string, status: number, seconds: number) => void,
): RequestHandler {
  // Every field below is ours, so nothing is left to redact.
  const records = logger.child({}, { redact: [] });
  return (req, res, next) => {
    res.on('close', () => {
      const { context } = req;
      const ms = performance.now() - context.startedAt;
      const route = context.route ?? '(unrouted)';
      observe(req.method, route, res.statusCode, ms / 1000);
      records[PROBE_PATHS.has(route) ? 'debug' : 'info']({
        request_id: context.requestId,
        method: req.method,
        route,
        status: res.statusCode,
        ms: Math.round(ms * 100) / 100,
        user: context.principal?.userId,
        tenant: context.access?.tenantId,
        aborted: res.writableFinished ? undefined : true,
      });
    });
    next();
  };
}
