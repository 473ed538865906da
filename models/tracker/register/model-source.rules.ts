/** Where a client says that the files of a new version are. */
export type ModelSource =
  | { readonly kind: 'run'; readonly runId: string; readonly folder: string }
  | { readonly kind: 'logged-model'; readonly modelId: string; readonly folder: string }
  | { readonly kind: 'version'; readonly versionId: string; readonly folder: string };

const RUN = /^(?:mlflow-artifacts:\/+([0-9a-f]{32})\/artifacts|runs:\/+([0-9a-f]{32}))(?:\/(.*))?$/;
const LOGGED_MODEL =
  /^(?:models:\/+(m-[0-9a-f]{32})|mlflow-artifacts:\/+models\/(m-[0-9a-f]{32})\/artifacts)(?:\/(.*))?$/;
const VERSION = /^mlflow-artifacts:\/+versions\/([0-9a-f-]{36})(?:\/(.*))?$/;

const folderOf = (rest: string | undefined): string => (rest ?? '').replace(/\/+$/, '');

/** Null for a place that this server does not keep. */
export function modelSource(uri: string): ModelSource | null {
  const run = RUN.exec(uri);
  if (run) return { kind: 'run', runId: (run[1] ?? run[2]) as string, folder: folderOf(run[3]) };
  const model = LOGGED_MODEL.exec(uri);
  if (model)
    return { kind: 'logged-model', modelId: (model[1] ?? model[2]) as string, folder: folderOf(model[3]) };
  const version = VERSION.exec(uri);
  if (version) return { kind: 'version', versionId: version[1] as string, folder: folderOf(version[2]) };
  return null;
}
