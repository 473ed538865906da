import { describedOperation, type OpenApiDocument } from './described-routes.js';
import { MLFLOW_ROUTES } from './mlflow-routes.js';
import type { RouteEntry } from './route-table.js';

/** Nothing to check, or a token that the handler itself checks: that of a job, a person's for the tracker, or either. */
type RawAccess = 'public' | 'job' | 'tracker' | 'tracker or job';
const RAW_ACCESS: ReadonlySet<string> = new Set<RawAccess>(['public', 'job', 'tracker', 'tracker or job']);

/** Routes outside openapi.json, by method and pattern, with who may call them. Whoever adds one names it here and tests its isolation. */
export const UNDESCRIBED_ROUTES: Readonly<Record<string, RawAccess>> = {
  'GET /': 'public',
  'GET /livez': 'public',
  'GET /readyz': 'public',
  'GET /sample/confusion.svg': 'public',
  'GET /console': 'public',
  'GET /console/': 'public',
  'GET /console/installation.json': 'public',
  'GET /console/*path': 'public',
  'GET /docs': 'public',
  'GET /docs/assets/init.js': 'public',
  'GET /docs/assets/:file': 'public',
  'GET /openapi.json': 'public',
  'GET /.well-known/visionops-certificate-keys': 'public',
  'GET /tracker/health': 'public',
  'GET /tracker/version': 'public',
  'GET /tracker/api/3.0/mlflow/server-info': 'public',
  'GET /tracker/api/2.0/visionops/runs/:run_id/dataset-files': 'job',
  'POST /tracker/api/2.0/mlflow/runs/log-batch': 'tracker or job',
  'POST /tracker/ajax-api/2.0/mlflow/runs/log-batch': 'tracker or job',
  'PUT /tracker/api/2.0/mlflow-artifacts/artifacts/*path': 'tracker or job',
  'PUT /tracker/ajax-api/2.0/mlflow-artifacts/artifacts/*path': 'tracker or job',
  ...MLFLOW_ROUTES,
};

/**
 * Refuses raw routes nobody knows of, and those whose access only generated code enforces.
 * @throws Error naming the first: the process must not start
 */
export function assertRawRoutes(document: OpenApiDocument, entries: readonly RouteEntry[]): void {
  for (const { method, pattern, access } of entries) {
    const key = `${method} ${pattern}`;
    if (!RAW_ACCESS.has(access.kind))
      throw new Error(
        `${key} asks for access "${access.kind}", which is not checked on raw routes: make it a controller, or check a token in its handler`,
      );
    const expected = describedOperation(document, method, pattern)?.['x-access'] ?? UNDESCRIBED_ROUTES[key];
    if (expected === undefined)
      throw new Error(
        `${key} is neither in openapi.json nor in UNDESCRIBED_ROUTES: describe it or name it there`,
      );
    if (expected !== access.kind)
      throw new Error(`${key} is registered as "${access.kind}" and declared as "${expected}"`);
  }
}
