/** Where a client says that the files of a new version are. */
export type ModelSource =
  | { readonly kind: 'run'; readonly runId: string; readonly folder: string }
  | { readonly kind: 'logged-model'; readonly modelId: string; readonly folder: string }
  | { readonly kind: 'version'; readonly versionId: string; readonly folder: string }
  | { readonly kind: 'named-version'; readonly modelName: string; readonly version: number };

const RUN = /^(?:mlflow-artifacts:\/+([0-9a-f]{32})\/artifacts|runs:\/+([0-9a-f]{32}))(?:\/(.*))?$/;
const LOGGED_MODEL =
  /^(?:models:\/+(m-[0-9a-f]{32})|mlflow-artifacts:\/+models\/(m-[0-9a-f]{32})\/artifacts)(?:\/(.*))?$/;
/** As MLflow's own server: an alias or a stage is no source, since it names another version tomorrow. */
const NAMED_VERSION = /^models:\/+([^/]+)\/(\d{1,9})$/;
const VERSION =
  /^mlflow-artifacts:\/+versions\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\/(.*))?$/;

const folderOf = (rest: string | undefined): string => (rest ?? '').replace(/\/+$/, '');

/** Null for a place that this server does not keep. */
export function modelSource(uri: string): ModelSource | null {
  const run = RUN.exec(uri);
  if (run) return { kind: 'run', runId: (run[1] ?? run[2]) as string, folder: folderOf(run[3]) };
  const named = NAMED_VERSION.exec(uri);
  if (named)
    return { kind: 'named-version', modelName: named[1] as string, version: Number(named[2] as string) };
  const model = LOGGED_MODEL.exec(uri);
  if (model)
    return { kind: 'logged-model', modelId: (model[1] ?? model[2]) as string, folder: folderOf(model[3]) };
  const version = VERSION.exec(uri);
  if (version) return { kind: 'version', versionId: version[1] as string, folder: folderOf(version[2]) };
  return null;
}
