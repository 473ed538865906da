import type { RequestHandler } from 'express';
import type { RouteTable } from '../../http/routing/route-table.js';
import type { MultipartUploadsService } from '../artifacts/multipart-uploads.service.js';
import { TRACKER } from '../../http/routing/mlflow-routes.js';

/** What clients ask before they use what not every server has. */
const SERVER_INFO = {
  store_type: 'SqlStore',
  workspaces_enabled: false,
  artifact_serving_enabled: true,
  multipart_downloads_enabled: false,
  trace_archival_enabled: false,
  presigned_upload_run_id_supported: false,
  presigned_upload_model_id_supported: false,
} as const;

/** The release of MLflow that speaks the protocol as it is served here: clients compare it with their own. */
export const PROTOCOL_RELEASE = '3.17.2';

export function registerServerInfo(routes: RouteTable, uploads: MultipartUploadsService): void {
  const add = (path: string, handler: RequestHandler): void =>
    routes.add({
      ...{ method: 'GET', pattern: `${TRACKER}/${path}`, operationId: null },
      access: { kind: 'public' },
      handlers: [handler],
    });
  add('api/3.0/mlflow/server-info', async (req, res) => {
    // Clients from 3.17 on send large files in parts where this says so, without a setting of their own.
    const multipart_uploads_enabled = await uploads.isOfferedTo(String(req.headers.host ?? ''));
    res.json({ ...SERVER_INFO, multipart_uploads_enabled });
  });
  add('health', (_req, res) => void res.type('text/plain').send('OK'));
  add('version', (_req, res) => void res.type('text/plain').send(PROTOCOL_RELEASE));
}
