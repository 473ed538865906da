import type { RouteTable } from '../../http/routing/route-table.js';
import { TRACKER } from '../protocol/tracker-errors.js';

/** What clients ask before they use what not every server has. */
const SERVER_INFO = {
  store_type: 'SqlStore',
  workspaces_enabled: false,
  artifact_serving_enabled: true,
  multipart_uploads_enabled: false,
  multipart_downloads_enabled: false,
  trace_archival_enabled: false,
  presigned_upload_run_id_supported: false,
  presigned_upload_model_id_supported: false,
} as const;

export function registerServerInfo(routes: RouteTable): void {
  routes.add({
    ...{ method: 'GET', pattern: `${TRACKER}/api/3.0/mlflow/server-info`, operationId: null },
    access: { kind: 'public' },
    handlers: [(_req, res) => void res.json(SERVER_INFO)],
  });
  routes.add({
    ...{ method: 'GET', pattern: `${TRACKER}/health`, operationId: null },
    access: { kind: 'public' },
    handlers: [(_req, res) => void res.type('text/plain').send('OK')],
  });
}
