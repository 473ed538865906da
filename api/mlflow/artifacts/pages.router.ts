import type { Request } from 'express';
import { sendObject } from '../../http/answers/send-object.js';
import type { ModelVersionsService } from '../models/model-versions.service.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import type { TrackerCaller } from '../protocol/tracker-callers.js';
import { versionOf } from '../protocol/wire.js';
import { runIdOf } from '../runs/runs.router.js';
import type { ArtifactPlace } from './artifact-place.rules.js';
import type { ArtifactsService } from './artifacts.service.js';

/** Single files, as MLflow's own pages and imports from this server read them. */
export function registerPages(
  routes: MlflowRoutes,
  artifacts: ArtifactsService,
  versions: ModelVersionsService,
): void {
  const send = async (req: Request, caller: TrackerCaller, place: ArtifactPlace): Promise<void> =>
    sendObject(req, await artifacts.open(caller, place));
  routes.onPages('GET get-artifact', ({ caller, fields, req }) =>
    send(req, caller, { kind: 'run', id: runIdOf(fields), path: fields.required('path') }),
  );
  routes.onPages('GET model-versions/get-artifact', async ({ caller, fields, req }) => {
    const number = versionOf(fields.required('version'));
    const { id } = await versions.read(caller, fields.required('name'), number);
    await send(req, caller, { kind: 'version', id, path: fields.required('path') });
  });
  routes.onPages(
    'GET ajax-api/2.0/mlflow/logged-models/:model_id/artifacts/files',
    ({ caller, fields, req }) =>
      send(req, caller, {
        ...{ kind: 'logged-model', id: String(req.params.model_id) },
        path: fields.required('artifact_file_path'),
      }),
  );
}
