import { inParallel } from '../../core/load/in-parallel.js';
import {
  API,
  attempt,
  attemptAll,
  AT_ONCE,
  COMPLETE,
  type CopiedRun,
  type ImportJob,
  STATE_TAG,
  SOURCE_TAG,
  tagOf,
  SETTLED,
  type KeyValue,
  missingTags,
  ownTags,
} from './import-job.js';
import { TrackerRefusal, type TrackerServer } from './tracker-server.js';
import type { WireExperiment, WireRun } from './wire.types.js';

const PAGE = 1000;
/** Page size of runs, which come with all their params. */
export const RUN_PAGE = 200;

/** Active experiments with their tags; one of the same name that is here already takes the runs in. */
export async function copyExperiments(job: ImportJob): Promise<void> {
  const search = (page: object) =>
    job.from.send<{ experiments?: WireExperiment[]; next_page_token?: string }>(
      'POST',
      `${API}/experiments/search`,
      {
        ...{ max_results: PAGE, view_type: 'ACTIVE_ONLY' },
        ...page,
      },
    );
  for await (const { experiments = [] } of job.from.pages(search))
    await inParallel(experiments, AT_ONCE, async (experiment) => {
      const what = `experiment ${experiment.name}`;
      const here = await attempt(job, what, () => createExperiment(job, experiment));
      if (here === null) return;
      const id = here.experiment_id;
      const source = { key: SOURCE_TAG, value: experiment.experiment_id };
      const tags = missingTags(here.tags, [...ownTags(experiment.tags), source]);
      const path = `${API}/experiments/set-experiment-tag`;
      const body = { experiment_id: id };
      await attemptAll(
        job,
        what,
        tags.map((tag) => () => job.to.send('POST', path, { ...body, ...tag })),
      );
      job.experiments.set(experiment.experiment_id, id);
      job.counts.experiments += 1;
    });
}

type Created = Pick<WireExperiment, 'experiment_id' | 'tags'>;

/** @throws TrackerRefusal where one of this name lies in the bin: whether it comes back is for people here to say */
async function createExperiment({ to }: ImportJob, { name }: WireExperiment): Promise<Created> {
  try {
    return await to.send<Created>('POST', `${API}/experiments/create`, { name });
  } catch (error) {
    if (!isTaken(error)) throw error;
    const params = { experiment_name: name };
    type Found = { experiment: Created & { readonly lifecycle_stage?: string } };
    const { experiment } = await to.get<Found>(`${API}/experiments/get-by-name`, params);
    if (experiment.lifecycle_stage === 'deleted')
      throw new TrackerRefusal(
        404,
        '',
        'one of this name was deleted here; restore it or remove it for good',
      );
    return experiment;
  }
}

const ENDED = new Set(['FINISHED', 'FAILED', 'KILLED']);

export const hasEnded = ({ status }: WireRun['info']): boolean => ENDED.has(status);

export const isTaken = (error: unknown): boolean =>
  error instanceof TrackerRefusal && error.code === 'RESOURCE_ALREADY_EXISTS';

/** Active runs of an experiment unless asked otherwise, page by page. */
export const runsOf = (
  server: TrackerServer,
  experiment: string,
  more: object = {},
): AsyncGenerator<{ runs?: WireRun[] }> =>
  server.pages((page) =>
    server.send<{ runs?: WireRun[]; next_page_token?: string }>('POST', `${API}/runs/search`, {
      ...{ experiment_ids: [experiment], max_results: RUN_PAGE, run_view_type: 'ACTIVE_ONLY' },
      ...more,
      ...page,
    }),
  );

/**
 * Makes a run for each that is not here yet, before any is filled: runs name each other as parents.
 * A run is known by its source tag, which it is made with.
 */
export async function createRuns(job: ImportJob): Promise<void> {
  for (const [source, target] of job.experiments)
    await attempt(job, `runs of the experiment ${source}`, () => createRunsOf(job, source, target));
}

async function createRunsOf(job: ImportJob, source: string, target: string): Promise<void> {
  const copies = { filter: `tags.${SOURCE_TAG} LIKE '%'`, run_view_type: 'ALL' };
  for await (const { runs = [] } of runsOf(job.to, target, copies)) for (const run of runs) know(job, run);
  for await (const { runs = [] } of runsOf(job.from, source))
    await inParallel(
      runs.filter(({ info }) => !job.runs.has(info.run_id)),
      AT_ONCE,
      async (run) => {
        const { run_id } = run.info;
        const made = await attempt(job, `run ${run_id}`, () => createRun(job, target, run));
        if (made !== null) job.runs.set(run_id, made);
      },
    );
}

/** A copy that people here have deleted stays so: nothing is added to it, and it is not made anew. */
function know({ runs }: ImportJob, { info, data }: WireRun): void {
  const source = tagOf(data?.tags, SOURCE_TAG) as string;
  const isDeleted = info.lifecycle_stage === 'deleted';
  if (isDeleted && runs.has(source)) return;
  runs.set(source, { runId: info.run_id, state: isDeleted ? COMPLETE : tagOf(data?.tags, STATE_TAG) });
}

async function createRun({ to }: ImportJob, experiment_id: string, { info }: WireRun): Promise<CopiedRun> {
  const state = hasEnded(info) ? SETTLED : undefined;
  const tags: KeyValue[] = [{ key: SOURCE_TAG, value: info.run_id }];
  if (state !== undefined) tags.push({ key: STATE_TAG, value: state });
  const { run_name, user_id, start_time } = info;
  const body = { experiment_id, run_name, user_id, start_time, tags };
  const { run } = await to.send<{ run: WireRun }>('POST', `${API}/runs/create`, body, false);
  return { runId: run.info.run_id, state };
}
