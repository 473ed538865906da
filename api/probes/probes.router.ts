import type { RequestHandler } from 'express';
import type { Readiness } from '../../core/health/readiness.js';
import { PROBE_PATHS } from '../http/routing/probe-paths.js';
import type { RouteTable } from '../http/routing/route-table.js';

const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

/** Public, as load balancers sign in nowhere: the reasons why a process is not ready stand on the ops port. */
export function registerProbes(routes: RouteTable, readiness: Readiness): void {
  const get = (pattern: string, handler: RequestHandler) =>
    routes.add({
      method: 'GET',
      pattern,
      access: { kind: 'public' },
      operationId: null,
      handlers: [noStore, handler],
    });
  get('/livez', (_req, res) => void res.json({ status: 'ok' }));
  get('/readyz', async (_req, res) => {
    const ready = await readiness.isReady();
    res.status(ready ? 200 : 503).json({ ready });
  });
}

/** Load balancers name an address of their own as Host, or none, and are served while nobody else is. */
export const exceptProbes =
  (handler: RequestHandler): RequestHandler =>
  (req, res, next) =>
    PROBE_PATHS.has(req.path) ? next() : handler(req, res, next);
