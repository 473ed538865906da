import type { Permission } from '../../../models/access/permission.rules.js';

/** Below it MLflow's protocol is spoken, refusals included. */
export const TRACKER = '/tracker';
export const MLFLOW = `${TRACKER}/api/2.0`;

/** Calls of MLflow's protocol below `/tracker/api/2.0/mlflow/`, with what the holder of the token must be allowed. */
export const MLFLOW_CALLS = {
  'POST experiments/create': 'DEVELOP',
  'GET experiments/search': 'VIEW',
  'POST experiments/search': 'VIEW',
  'GET experiments/get': 'VIEW',
  'GET experiments/get-by-name': 'VIEW',
  'POST experiments/update': 'DEVELOP',
  'POST experiments/delete': 'DEVELOP',
  'POST experiments/restore': 'DEVELOP',
  'POST experiments/set-experiment-tag': 'DEVELOP',
  'POST experiments/delete-experiment-tag': 'DEVELOP',
  'POST experiments/search-datasets': 'VIEW',
  'POST runs/create': 'DEVELOP',
  'POST runs/update': 'DEVELOP',
  'POST runs/delete': 'DEVELOP',
  'POST runs/restore': 'DEVELOP',
  'POST runs/log-metric': 'DEVELOP',
  'POST runs/log-parameter': 'DEVELOP',
  'POST runs/log-model': 'DEVELOP',
  'POST runs/log-inputs': 'DEVELOP',
  'POST runs/outputs': 'DEVELOP',
  'POST runs/set-tag': 'DEVELOP',
  'POST runs/delete-tag': 'DEVELOP',
  'POST runs/search': 'VIEW',
  'GET runs/get': 'VIEW',
  'GET metrics/get-history': 'VIEW',
  'GET metrics/get-history-bulk': 'VIEW',
  'GET metrics/get-history-bulk-interval': 'VIEW',
  'GET artifacts/list': 'VIEW',
  'POST logged-models': 'DEVELOP',
  'POST logged-models/search': 'VIEW',
  'GET logged-models/:model_id': 'VIEW',
  'PATCH logged-models/:model_id': 'DEVELOP',
  'DELETE logged-models/:model_id': 'DEVELOP',
  'POST logged-models/:model_id/params': 'DEVELOP',
  'PATCH logged-models/:model_id/tags': 'DEVELOP',
  'DELETE logged-models/:model_id/tags/:key': 'DEVELOP',
  'GET logged-models/:model_id/artifacts/directories': 'VIEW',
  'POST registered-models/create': 'MODEL_REGISTER',
  'POST registered-models/rename': 'MODEL_REGISTER',
  'PATCH registered-models/update': 'MODEL_REGISTER',
  'DELETE registered-models/delete': 'MODEL_REGISTER',
  'GET registered-models/get': 'VIEW',
  'GET registered-models/search': 'VIEW',
  'GET registered-models/get-latest-versions': 'VIEW',
  'POST registered-models/get-latest-versions': 'VIEW',
  'POST registered-models/set-tag': 'MODEL_REGISTER',
  'DELETE registered-models/delete-tag': 'MODEL_REGISTER',
  'POST registered-models/alias': 'MODEL_REGISTER',
  'GET registered-models/alias': 'VIEW',
  'DELETE registered-models/alias': 'MODEL_REGISTER',
  'POST model-versions/create': 'MODEL_REGISTER',
  'PATCH model-versions/update': 'MODEL_REGISTER',
  'DELETE model-versions/delete': 'MODEL_REGISTER',
  'GET model-versions/get': 'VIEW',
  'GET model-versions/search': 'VIEW',
  'GET model-versions/get-download-uri': 'VIEW',
  'POST model-versions/set-tag': 'MODEL_REGISTER',
  'DELETE model-versions/delete-tag': 'MODEL_REGISTER',
  // Production asks for PRODUCTION_PROMOTE besides.
  'POST model-versions/transition-stage': 'STAGING_PROMOTE',
} as const satisfies Readonly<Record<string, Permission>>;

export type MlflowCallName = keyof typeof MLFLOW_CALLS;

/** The artifact proxy, below `/tracker/api/2.0/mlflow-artifacts/`. */
export const ARTIFACT_CALLS = {
  'GET artifacts': 'VIEW',
  'GET artifacts/*path': 'VIEW',
  'DELETE artifacts/*path': 'DEVELOP',
  'POST mpu/create/*path': 'DEVELOP',
  'POST mpu/complete/*path': 'DEVELOP',
  'POST mpu/abort/*path': 'DEVELOP',
  'GET presigned/*path': 'VIEW',
} as const satisfies Readonly<Record<string, Permission>>;

export type ArtifactCallName = keyof typeof ARTIFACT_CALLS;

/** Files as MLflow's own pages ask for them, below `/tracker/` itself. */
export const PAGE_CALLS = {
  'GET get-artifact': 'VIEW',
  'GET model-versions/get-artifact': 'VIEW',
  'GET ajax-api/2.0/mlflow/logged-models/:model_id/artifacts/files': 'VIEW',
} as const satisfies Readonly<Record<string, Permission>>;

export type PageCallName = keyof typeof PAGE_CALLS;

/** The second is what MLflow's own pages ask; some of its clients do as well. */
export const MLFLOW_ROOTS = [MLFLOW, `${TRACKER}/ajax-api/2.0`] as const;

const below = (part: string, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [method, path] = name.split(' ');
    return MLFLOW_ROOTS.map((root) => `${method} ${root}/${part}/${path}`);
  });

/** Every route of a person's token, by method and pattern. */
export const MLFLOW_ROUTES: Readonly<Record<string, 'tracker'>> = Object.fromEntries(
  [
    ...below('mlflow', Object.keys(MLFLOW_CALLS)),
    ...below('mlflow-artifacts', Object.keys(ARTIFACT_CALLS)),
    ...Object.keys(PAGE_CALLS).map((name) => name.replace(' ', ` ${TRACKER}/`)),
  ].map((route) => [route, 'tracker']),
);
