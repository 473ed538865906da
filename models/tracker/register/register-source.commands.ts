import { badRequest, notFound } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { KeyValue } from '../../registry/labels/key-value.types.js';
import { requireModelName } from '../../registry/labels/describe-model.commands.js';
import { assertTag } from '../../registry/labels/label.rules.js';
import { setVersionTag } from '../../registry/labels/labels.commands.js';
import { findLabelledModel } from '../../registry/labels/labels.queries.js';
import { lockModels } from '../../registry/model.queries.js';
import type { Lineage, ModelFile, ModelVersionRow, TrainingClass } from '../../registry/model.types.js';
import { MODEL_FOLDER, registerModelVersion } from '../../registry/register-version.commands.js';
import {
  findTrainingClasses,
  findVersion,
  findVersionById,
  listVersionFiles,
} from '../../registry/version.queries.js';
import { listArtifactsBelow } from '../artifact.queries.js';
import { listModelArtifacts } from '../logged-models/model-artifact.queries.js';
import { findLoggedModel } from '../logged-models/logged-model.queries.js';
import { type ClassesOf, describeRun } from '../register-run.commands.js';
import { findRun } from '../run.queries.js';
import { holdFiles } from './file-owner.queries.js';
import { type ModelSource, modelSource } from './model-source.rules.js';

export interface SourceRegistration {
  readonly modelName: string;
  readonly source: string;
  /** Null: that of the source, if it has one. */
  readonly runId: string | null;
  readonly description: string | null;
  readonly tags: readonly KeyValue[];
  /** See RunRegistration. */
  readonly classesOf: ClassesOf;
}

/**
 * Makes the next version of a model that exists, of files that lie on this server.
 * @returns the number of the version
 * @throws AppError not_found for an unknown model, run or logged model; bad_request for a source without files or elsewhere
 */
export async function registerSource(
  tx: TenantTransaction,
  actor: Actor,
  { modelName, source, runId, description, tags, classesOf }: SourceRegistration,
): Promise<number> {
  requireModelName(modelName);
  for (const tag of tags) assertTag(tag);
  const model = await findLabelledModel(tx, modelName);
  if (!model) throw notFound('Registered model');
  const { files, origin, classes, own } = await filesOf(tx, source, model.id);
  if (files.length === 0)
    throw badRequest('There are no files below the source of the version; log the model first.');
  const run = { ...asTrained(await lineage(tx, runId, origin), source, origin), ...own };
  // Files of a version are those below its folder, whatever the client called that.
  const modelFiles = files.map((file) => ({ ...file, path: `${MODEL_FOLDER}${file.path}` }));
  const trainingClasses = run.trainingExperimentId === null ? null : (classes ?? (await classesOf(tx, run)));
  const version = { modelName, run: { ...run, modelFiles }, description, source, trainingClasses };
  const made = await registerModelVersion(tx, actor, version);
  for (const tag of tags) await setVersionTag(tx, modelName, made.version, tag);
  return made.version;
}

interface SourceFiles {
  /** With paths relative to the source. */
  readonly files: readonly ModelFile[];
  /** What is known of them without their run, which may be gone. */
  readonly origin: Lineage;
  /** Classes of the training data that a version keeps. */
  readonly classes: readonly TrainingClass[] | null;
  /** What stays theirs whatever run a client names. */
  readonly own: Partial<Lineage>;
}

/** @param modelId of the model that the version is made in */
async function filesOf(tx: TenantTransaction, uri: string, modelId: string): Promise<SourceFiles> {
  const source = modelSource(uri);
  if (source === null)
    throw badRequest(
      'Invalid model version source: name files on this server, as runs:/RUN_ID/PATH, models:/MODEL_ID, models:/NAME/VERSION or their artifact URI.',
    );
  if (source.kind === 'run') {
    const run = await findRun(tx, source.runId);
    if (!run) throw notFound('Run');
    await holdFiles(tx, 'run', run.row);
    const files = await listArtifactsBelow(tx, run.row, source.folder);
    const origin = { ...NO_RUN, runId: source.runId };
    return {
      files: below(files, source.folder),
      origin,
      classes: null,
      own: await licenceOfRun(tx, source.runId),
    };
  }
  if (source.kind === 'logged-model') {
    const model = await findLoggedModel(tx, source.modelId);
    if (!model) throw notFound('Logged model');
    await holdFiles(tx, 'logged-model', model.row);
    const files = below(await listModelArtifacts(tx, model.row), source.folder);
    const runId = model.sourceRunId ?? '';
    return { files, origin: { ...NO_RUN, runId }, classes: null, own: await licenceOfRun(tx, runId) };
  }
  const version = await holdVersion(tx, source, modelId);
  const folder = source.kind === 'version' ? source.folder : '';
  const files = below(await listVersionFiles(tx, version.id), folder);
  const { licence, datasetKey, datasetDigest } = version;
  const classes = await findTrainingClasses(tx, version.id);
  return { files, origin: lineageOf(version), classes, own: { licence, datasetKey, datasetDigest } };
}

/** Nothing where the run is gone. */
async function licenceOfRun(tx: TenantTransaction, runId: string): Promise<Partial<Lineage>> {
  const run = runId === '' ? null : await describeRun(tx, runId);
  return run ? { licence: run.licence } : {};
}

/**
 * It stays until the new version is committed: whoever deletes one locks its model first.
 * @param modelId of the model that the version is made in, which is locked along with it
 * @throws AppError not_found
 */
async function holdVersion(
  tx: TenantTransaction,
  source: Extract<ModelSource, { kind: 'version' | 'named-version' }>,
  modelId: string,
): Promise<ModelVersionRow> {
  const read = () =>
    source.kind === 'version'
      ? findVersionById(tx, source.versionId)
      : findVersion(tx, source.modelName, source.version);
  const found = await read();
  if (found) await lockModels(tx, [found.modelId, modelId]);
  const held = found && (await findVersionById(tx, found.id));
  if (!held) throw notFound('Model version');
  return held;
}

function below(files: readonly ModelFile[], folder: string): ModelFile[] {
  const start = folder === '' ? '' : `${folder}/`;
  return files
    .filter((file) => file.path.startsWith(start))
    .map((file) => ({ ...file, path: file.path.slice(start.length) }));
}

const NO_RUN: Lineage = {
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

const lineageOf = (version: ModelVersionRow): Lineage => ({
  runId: version.runId,
  experimentId: version.experimentId,
  trainingExperimentId: version.trainingExperimentId,
  datasetKey: version.datasetKey,
  datasetDigest: version.datasetDigest,
  task: version.task,
  framework: version.framework,
  licence: version.licence,
  base: version.base,
  metrics: version.metrics,
});

/**
 * Whoever names the run of a training beside other files has no model of that training: its lineage is with the files that
 * its job stored, and with versions made of them.
 */
function asTrained(run: Lineage, uri: string, origin: Lineage): Lineage {
  const source = modelSource(uri);
  const isItsModel =
    source?.kind === 'run' && source.runId === run.runId && `${source.folder}/` === MODEL_FOLDER;
  const isOfVersion = origin.trainingExperimentId === run.trainingExperimentId;
  return isItsModel || isOfVersion ? run : { ...run, trainingExperimentId: null, base: null };
}

/**
 * @param named the run that the client names, if any; that of the files where it names none
 * @throws AppError not_found for a run that only the client names, and that does not exist
 */
async function lineage(tx: TenantTransaction, named: string | null, origin: Lineage): Promise<Lineage> {
  const runId = named || origin.runId;
  if (runId === '') return origin;
  const found = await describeRun(tx, runId);
  if (!found && runId !== origin.runId) throw notFound('Run');
  if (!found) return origin;
  const { modelFiles: _files, ...run } = found;
  return run;
}
