import type { Request } from 'express';
import { badRequest } from '../../core/errors/app-error.js';
import { MLFLOW } from '../http/routing/mlflow-routes.js';
import { whenClientLeaves } from '../http/routing/request-context.js';
import type { RouteTable } from '../http/routing/route-table.js';
import { DEFAULT_PAGE_FILES, type JobDatasetService, MAX_PAGE_FILES } from './job-dataset.service.js';

/** What a job is trained from, by the token of its attempt. */
export function registerJobDataset(routes: RouteTable, service: JobDatasetService): void {
  routes.add({
    method: 'GET',
    pattern: `${MLFLOW}/visionops/runs/:run_id/dataset-files`,
    access: { kind: 'job' },
    operationId: null,
    handlers: [
      async (req, res) => {
        const claims = service.claims(req.headers.authorization);
        const cursor = numberOf(req, 'cursor', Number.MAX_SAFE_INTEGER);
        const limit = numberOf(req, 'limit', MAX_PAGE_FILES) ?? DEFAULT_PAGE_FILES;
        res.setHeader('Cache-Control', 'no-store');
        res.json(await service.page(claims, String(req.params.run_id), cursor, limit, whenClientLeaves(req)));
      },
    ],
  });
}

function numberOf(req: Request, name: string, max: number): number | null {
  const given = req.query[name];
  if (given === undefined) return null;
  const value = typeof given === 'string' && /^[1-9]\d{0,15}$/.test(given) ? Number(given) : 0;
  if (value < 1 || value > max) throw badRequest(`Give ${name} once, as a number from 1 to ${max}.`);
  return value;
}
