import type { Request } from 'express';
import { badRequest, notFound } from '../../core/errors/app-error.js';
import { requireTokenPermission, type TokenAuthenticator } from '../auth/token-authenticator.platform.js';
import type { RouteTable } from '../http/routing/route-table.js';
import type { RunsService } from '../tracker/runs.service.js';
import { MLFLOW } from './tracker-errors.js';
import { toMlflowRun } from './run.mapper.js';

/** Runs as MLflow's own client reads them, by a tracker token. */
export function registerMlflowRuns(routes: RouteTable, runs: RunsService, tokens: TokenAuthenticator): void {
  routes.add({
    method: 'GET',
    pattern: `${MLFLOW}/mlflow/runs/get`,
    access: { kind: 'tracker' },
    operationId: null,
    handlers: [
      async (req, res) => {
        const holder = await tokens.authenticateAccessToken('tracker', bearer(req));
        requireTokenPermission(holder, 'VIEW');
        const { run, points } = await runs.readWithPoints(holder.tenant, runIdOf(req));
        res.json({ run: toMlflowRun(run, points) });
      },
    ],
  });
}

const bearer = (req: Request): string =>
  /^Bearer +([^ ]{1,512})$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';

/** `run_uuid` is the older name of the same parameter. */
function runIdOf(req: Request): string {
  const given = req.query.run_id ?? req.query.run_uuid;
  if (typeof given !== 'string' || given === '')
    throw badRequest("Missing value for required parameter 'run_id'.");
  if (!/^[0-9a-f]{32}$/.test(given)) throw notFound('Run');
  return given;
}
