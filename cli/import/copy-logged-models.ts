import { inParallel } from '../../core/load/in-parallel.js';
import { copyFiles } from './copy-files.js';
import {
  API,
  attempt,
  attemptAll,
  AT_ONCE,
  chunks,
  COMPLETE,
  type ImportJob,
  type KeyValue,
  ownTags,
  SETTLED,
  SOURCE_TAG,
  STATE_TAG,
  tagOf,
} from './import-job.js';
import { TrackerRefusal, type TrackerServer } from './tracker-server.js';
import type { WireLoggedModel, WireModelMetric } from './wire.types.js';

const PAGE = 100;
const METRICS_A_CALL = 500;
const PARAMS_A_CALL = 50;
const TAGS_A_CALL = 40;
const ENDED = ['LOGGED_MODEL_READY', 'LOGGED_MODEL_UPLOAD_FAILED'];

const hasEnded = ({ status }: WireLoggedModel['info']): boolean => ENDED.includes(String(status));

/** Models that clients from 3.0 on log beside their runs, with their files. Older servers have none. */
export async function copyLoggedModels(job: ImportJob): Promise<void> {
  for (const [source, target] of job.experiments) {
    const what = `logged models of the experiment ${source}`;
    if ((await attempt(job, what, () => copyModelsOf(job, source, target))) === false) return;
  }
}

/** @returns false where the other server knows none */
async function copyModelsOf(job: ImportJob, source: string, target: string): Promise<boolean> {
  const known = new Map<string, WireLoggedModel>();
  for await (const { models = [] } of modelsOf(job.to, target))
    for (const model of models) known.set(tagOf(model.info.tags, SOURCE_TAG) ?? '', model);
  try {
    for await (const { models = [] } of modelsOf(job.from, source))
      await inParallel(models, AT_ONCE, (model) =>
        copyModel(job, model, target, known.get(model.info.model_id) ?? null),
      );
  } catch (error) {
    if (!(error instanceof TrackerRefusal) || error.status !== 404) throw error;
    return false;
  }
  return true;
}

const modelsOf = (
  server: TrackerServer,
  experiment: string,
): AsyncGenerator<{ models?: WireLoggedModel[] }> =>
  server.pages((page) =>
    server.send<{ models?: WireLoggedModel[]; next_page_token?: string }>(
      'POST',
      `${API}/logged-models/search`,
      {
        ...{ experiment_ids: [experiment], max_results: PAGE },
        ...page,
      },
    ),
  );

async function copyModel(
  job: ImportJob,
  { info, data }: WireLoggedModel,
  experiment_id: string,
  known: WireLoggedModel | null,
): Promise<void> {
  const what = `logged model ${info.model_id}`;
  const here = known?.info ?? (await attempt(job, what, () => create(job, info, experiment_id)));
  if (here === null) return;
  const { model_id: id } = here;
  job.loggedModels.set(info.model_id, id);
  job.counts.loggedModels += 1;
  const state = tagOf(here.tags, STATE_TAG);
  if (state === COMPLETE) return;
  const at = `${API}/logged-models/${id}`;
  const tag = (tags: readonly KeyValue[]) => job.to.send('PATCH', `${at}/tags`, { tags });
  const isLogged = await attemptAll(job, what, [
    ...[...chunks(data?.params ?? [], PARAMS_A_CALL)].map(
      (params) => () => job.to.send('POST', `${at}/params`, { params }),
    ),
    ...[...chunks(ownTags(info.tags), TAGS_A_CALL)].map((tags) => () => tag(tags)),
    () => copyMetrics(job, data?.metrics ?? [], id),
  ]);
  const from = `/logged-models/${info.model_id}/artifacts`;
  const hasFiles = await copyFiles(job, {
    list: { path: `${API}${from}/directories`, name: 'artifact_directory_path', params: {} },
    read: { path: `/ajax-api/2.0/mlflow${from}/files`, name: 'artifact_file_path', params: {} },
    target: {
      list: `${at}/artifacts/directories`,
      ...{ params: {}, name: 'artifact_directory_path', root: `models/${id}/artifacts` },
    },
    isSettled: state === SETTLED,
    what,
  });
  if (!hasEnded(info)) return;
  const update = () => job.to.send('PATCH', at, { model_id: id, status: String(info.status) });
  const isUpdated = (await attempt(job, what, update)) !== null;
  if (!hasFiles) return;
  const value = isLogged && isUpdated ? COMPLETE : SETTLED;
  await attempt(job, what, () => tag([{ key: STATE_TAG, value }]));
}

/** What was measured of a model is logged by a run. */
async function copyMetrics(
  { to, runs }: ImportJob,
  metrics: readonly WireModelMetric[],
  model_id: string,
): Promise<void> {
  for (const [source, ofRun] of Map.groupBy(metrics, ({ run_id = '' }) => run_id)) {
    const run_id = runs.get(source)?.runId;
    if (run_id === undefined) continue;
    const measured = ofRun.map(({ run_id: _source, ...metric }) => ({ ...metric, model_id }));
    for (const some of chunks(measured, METRICS_A_CALL))
      await to.send('POST', `${API}/runs/log-batch`, { run_id, metrics: some });
  }
}

async function create(
  { to, runs }: ImportJob,
  info: WireLoggedModel['info'],
  experiment_id: string,
): Promise<Pick<WireLoggedModel['info'], 'model_id' | 'tags'>> {
  const { model_id, name, model_type, source_run_id = '' } = info;
  const tags: KeyValue[] = [{ key: SOURCE_TAG, value: model_id }];
  if (hasEnded(info)) tags.push({ key: STATE_TAG, value: SETTLED });
  const body = {
    ...{ experiment_id, name, model_type, tags },
    source_run_id: runs.get(source_run_id)?.runId,
  };
  type Created = { model: WireLoggedModel };
  return (await to.send<Created>('POST', `${API}/logged-models`, body, false)).model.info;
}
