import { inParallel } from '../../core/load/in-parallel.js';
import { copyFiles } from './copy-files.js';
import { hasEnded, runsOf } from './copy-experiments.js';
import {
  API,
  attempt,
  attemptAll,
  AT_ONCE,
  chunks,
  COMPLETE,
  type CopiedRun,
  type ImportJob,
  type KeyValue,
  ownTags,
  SETTLED,
  STATE_TAG,
} from './import-job.js';
import { TrackerRefusal } from './tracker-server.js';
import type { WireMetric, WireRun } from './wire.types.js';

const HISTORY_PAGE = 25_000;
/** What stays below a megabyte, whatever letters it holds. */
const METRICS_A_CALL = 1000;
const PARAMS_A_CALL = 50;
const TAGS_A_CALL = 40;
/** Tags that name other runs by their ids. */
const RUN_TAGS = new Set(['mlflow.parentRunId', 'mlflow.rootRunId']);

/** Fills the runs that are not whole yet. @param report how many of all are done */
export async function copyRuns(job: ImportJob, report: (done: number) => void): Promise<void> {
  for (const source of job.experiments.keys())
    await attempt(job, `runs of the experiment ${source}`, async () => {
      for await (const { runs = [] } of runsOf(job.from, source))
        await inParallel(runs, AT_ONCE, async (run) => {
          const copied = job.runs.get(run.info.run_id);
          // One that began after the list was made is copied the next time.
          if (copied === undefined) return;
          if (copied.state !== COMPLETE) await copyRun(job, run, copied);
          job.counts.runs += 1;
          report(job.counts.runs);
        });
    });
}

async function copyRun(job: ImportJob, run: WireRun, { runId: run_id, state }: CopiedRun): Promise<void> {
  const { info, data } = run;
  const what = `run ${info.run_id}`;
  const log = (batch: object) => job.to.send('POST', `${API}/runs/log-batch`, { run_id, ...batch });
  const tags = ownTags(data?.tags).map((tag) => translated(job, tag));
  const { status, end_time } = info;
  const isLogged = await attemptAll(job, what, [
    ...(data?.metrics ?? []).map((metric) => () => copyHistory(job, info.run_id, run_id, metric.key)),
    ...[...chunks(data?.params ?? [], PARAMS_A_CALL)].map((params) => () => log({ params })),
    ...[...chunks(tags, TAGS_A_CALL)].map((some) => () => log({ tags: some })),
    () => copyLinks(job, run, run_id),
  ]);
  const hasFiles = await copyFiles(job, {
    list: { path: `${API}/artifacts/list`, name: 'path', params: { run_id: info.run_id } },
    read: { path: '/get-artifact', name: 'path', params: { run_id: info.run_id } },
    target: { list: `${API}/artifacts/list`, params: { run_id }, name: 'path', root: `${run_id}/artifacts` },
    isSettled: state === SETTLED,
    what,
  });
  const update = () => job.to.send('POST', `${API}/runs/update`, { run_id, status, end_time });
  const isUpdated = (await attempt(job, what, update)) !== null;
  if (!hasFiles || !hasEnded(info)) return;
  const value = isLogged && isUpdated ? COMPLETE : SETTLED;
  await attempt(job, what, () => log({ tags: [{ key: STATE_TAG, value }] }));
}

function translated({ runs }: ImportJob, { key, value }: KeyValue): KeyValue {
  return RUN_TAGS.has(key) ? { key, value: runs.get(value)?.runId ?? value } : { key, value };
}

async function copyHistory(
  job: ImportJob,
  source: string,
  run_id: string,
  metric_key: string,
): Promise<void> {
  for await (const metrics of historyOf(job, source, metric_key))
    for (const some of chunks(metrics, METRICS_A_CALL)) {
      await job.to.send('POST', `${API}/runs/log-batch`, { run_id, metrics: some });
      job.counts.metrics += some.length;
    }
}

type History = { metrics?: WireMetric[]; next_page_token?: string };

async function* historyOf({ from }: ImportJob, run_id: string, metric_key: string) {
  const path = `${API}/metrics/get-history`;
  try {
    for await (const { metrics = [] } of from.pages((page) =>
      from.get<History>(path, { run_id, metric_key, max_results: HISTORY_PAGE, ...page }),
    ))
      yield metrics;
  } catch (error) {
    // A server that keeps files alone has no pages.
    if (!(error instanceof TrackerRefusal) || error.status !== 400) throw error;
    yield (await from.get<History>(path, { run_id, metric_key })).metrics ?? [];
  }
}

async function copyLinks({ to, loggedModels }: ImportJob, run: WireRun, run_id: string): Promise<void> {
  const known = <T extends { readonly model_id: string }>(links: readonly T[] = []) =>
    links.flatMap((link) => {
      const model_id = loggedModels.get(link.model_id);
      return model_id === undefined ? [] : [{ ...link, model_id }];
    });
  const datasets = run.inputs?.dataset_inputs ?? [];
  const inputs = known(run.inputs?.model_inputs);
  if (datasets.length + inputs.length > 0)
    await to.send('POST', `${API}/runs/log-inputs`, { run_id, datasets, models: inputs });
  const outputs = known(run.outputs?.model_outputs);
  if (outputs.length > 0) await to.send('POST', `${API}/runs/outputs`, { run_id, models: outputs });
}
