import { badRequest, notFound } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { KeyValue } from '../../registry/labels/key-value.types.js';
import { requireModelName } from '../../registry/labels/describe-model.commands.js';
import { assertTag, MAX_VERSION_TAG } from '../../registry/labels/label.rules.js';
import { setVersionTag } from '../../registry/labels/labels.commands.js';
import { findLabelledModel } from '../../registry/labels/labels.queries.js';
import type { ModelFile, RegisteredRun } from '../../registry/model.types.js';
import { MODEL_FOLDER, registerModelVersion } from '../../registry/register-version.commands.js';
import { findVersionById, listVersionFiles } from '../../registry/version.queries.js';
import { listArtifactsBelow } from '../artifact.queries.js';
import { listModelArtifacts } from '../logged-models/model-artifact.queries.js';
import { findLoggedModel } from '../logged-models/logged-model.queries.js';
import { describeRun } from '../register-run.commands.js';
import { findRun } from '../run.queries.js';
import { holdFiles } from './file-owner.queries.js';
import { modelSource } from './model-source.rules.js';

export interface SourceRegistration {
  readonly modelName: string;
  readonly source: string;
  /** Null: that of the source, if it has one. */
  readonly runId: string | null;
  readonly description: string | null;
  readonly tags: readonly KeyValue[];
}

/**
 * Makes the next version of a model that exists, of files that lie on this server.
 * @returns the number of the version
 * @throws AppError not_found for an unknown model, run or logged model; bad_request for a source without files or elsewhere
 */
export async function registerSource(
  tx: TenantTransaction,
  actor: Actor,
  { modelName, source, runId, description, tags }: SourceRegistration,
): Promise<number> {
  requireModelName(modelName);
  for (const tag of tags) assertTag(tag, MAX_VERSION_TAG);
  if (!(await findLabelledModel(tx, modelName))) throw notFound('Registered model');
  const { files, sourceRunId } = await filesOf(tx, source);
  if (files.length === 0)
    throw badRequest('There are no files below the source of the version; log the model first.');
  const run = await lineage(tx, runId ?? sourceRunId);
  // Files of a version are those below its folder, whatever the client called that.
  const modelFiles = files.map((file) => ({ ...file, path: `${MODEL_FOLDER}${file.path}` }));
  const version = { modelName, run: { ...run, modelFiles }, description, source };
  const made = await registerModelVersion(tx, actor, version);
  for (const tag of tags) await setVersionTag(tx, modelName, made.version, tag);
  return made.version;
}

interface SourceFiles {
  /** With paths relative to the source. */
  readonly files: readonly ModelFile[];
  readonly sourceRunId: string | null;
}

async function filesOf(tx: TenantTransaction, uri: string): Promise<SourceFiles> {
  const source = modelSource(uri);
  if (source === null)
    throw badRequest(
      'Invalid model version source: name files on this server, as runs:/RUN_ID/PATH, models:/MODEL_ID or their artifact URI.',
    );
  if (source.kind === 'run') {
    const run = await findRun(tx, source.runId);
    if (!run) throw notFound('Run');
    await holdFiles(tx, 'run', run.row);
    const files = await listArtifactsBelow(tx, run.row, source.folder);
    return { files: below(files, source.folder), sourceRunId: source.runId };
  }
  if (source.kind === 'logged-model') {
    const model = await findLoggedModel(tx, source.modelId);
    if (!model) throw notFound('Logged model');
    await holdFiles(tx, 'logged-model', model.row);
    const files = below(await listModelArtifacts(tx, model.row), source.folder);
    return { files, sourceRunId: model.sourceRunId };
  }
  const version = await findVersionById(tx, source.versionId);
  if (!version) throw notFound('Model version');
  const files = below(await listVersionFiles(tx, version.id), source.folder);
  return { files, sourceRunId: version.runId === '' ? null : version.runId };
}

function below(files: readonly ModelFile[], folder: string): ModelFile[] {
  const start = folder === '' ? '' : `${folder}/`;
  return files
    .filter((file) => file.path.startsWith(start))
    .map((file) => ({ ...file, path: file.path.slice(start.length) }));
}

const NO_RUN: Omit<RegisteredRun, 'modelFiles'> = {
  runId: '',
  experimentId: null,
  trainingExperimentId: null,
  datasetKey: null,
  datasetDigest: null,
  task: null,
  framework: null,
  licence: null,
  base: null,
  metrics: {},
};

/** @throws AppError not_found for a run that does not exist */
async function lineage(
  tx: TenantTransaction,
  runId: string | null,
): Promise<Omit<RegisteredRun, 'modelFiles'>> {
  if (runId === null || runId === '') return NO_RUN;
  const { modelFiles: _files, ...run } = await describeRun(tx, runId);
  return run;
}
