import { inParallel } from '../../core/load/in-parallel.js';
import { isLeftToPeople } from '../../models/registry/promotion/left-to-people.rules.js';
import { isTaken } from './copy-experiments.js';
import {
  API,
  ASKED,
  attempt,
  attemptAll,
  AT_ONCE,
  COMPLETE,
  type ImportJob,
  type KeyValue,
  missingTags,
  ownTags,
  SOURCE_TAG,
  STAGE_TAG,
  STATE_TAG,
  tagOf,
} from './import-job.js';
import { TrackerRefusal, type TrackerServer } from './tracker-server.js';
import type { WireModel, WireVersion } from './wire.types.js';

const PAGE = 100;

/** Registered models with their versions, in the order of their numbers, and what names or describes them. */
export async function copyRegistry(job: ImportJob): Promise<void> {
  const search = (page: object) =>
    job.from.get<{ registered_models?: WireModel[]; next_page_token?: string }>(
      `${API}/registered-models/search`,
      {
        max_results: PAGE,
        ...page,
      },
    );
  for await (const { registered_models = [] } of job.from.pages(search))
    await inParallel(registered_models, AT_ONCE, async (model) => {
      const what = `model ${model.name}`;
      if ((await attempt(job, what, () => createModel(job, model))) === null) return;
      job.counts.models += 1;
      await attempt(job, what, () => copyVersions(job, model));
    });
}

async function createModel(job: ImportJob, { name, description, tags = [] }: WireModel): Promise<void> {
  const { to } = job;
  const here = await modelHere(to, name);
  await attemptAll(job, `model ${name}`, [
    ...(description && !here.description
      ? [() => to.send('PATCH', `${API}/registered-models/update`, { name, description })]
      : []),
    ...missingTags(here.tags, tags).map(
      (tag) => () => to.send('POST', `${API}/registered-models/set-tag`, { name, ...tag }),
    ),
  ]);
}

/** Made where there is none of this name yet. */
async function modelHere(to: TrackerServer, name: string): Promise<WireModel> {
  try {
    await to.send('POST', `${API}/registered-models/create`, { name });
    return { name };
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  type Found = { registered_model: WireModel };
  return (await to.get<Found>(`${API}/registered-models/get`, { name })).registered_model;
}

async function copyVersions(job: ImportJob, { name, aliases = [] }: WireModel): Promise<void> {
  const { from, to } = job;
  const known = new Map<string, WireVersion>();
  for (const version of await versionsOf(to, name)) known.set(tagOf(version.tags, SOURCE_TAG) ?? '', version);
  const versions = await versionsOf(from, name);
  // There is one in Production at most here: the highest.
  const inProduction = versions.findLast((version) => version.current_stage === 'Production');
  for (const version of versions) {
    const copied =
      known.get(sourceOf(version)) ??
      copiedBefore(job, known, version) ??
      (await attempt(job, whatOf(version), () => createVersion(job, version)));
    if (!copied) continue;
    job.counts.versions += 1;
    // What people have done here with a version that was copied whole stays.
    if (tagOf(copied.tags, STATE_TAG) === COMPLETE) continue;
    const isSurplus = version.current_stage === 'Production' && version !== inProduction;
    const named = aliases.flatMap(({ alias, version: number }) => (number === version.version ? alias : []));
    await describe(job, version, copied, {
      stage: isSurplus ? 'Archived' : version.current_stage || 'None',
      aliases: named,
    });
  }
}

const whatOf = ({ name, version }: WireVersion): string => `version ${version} of the model ${name}`;
/** With its time, because a model may be deleted and made anew, and a second server may have one of the same name. */
const sourceOf = ({ name, version, creation_timestamp }: WireVersion): string =>
  `${name}/${version}/${creation_timestamp}`;

/** Imports before 0.2 recorded no time: it is the same version where it is of the copy of the same run. */
function copiedBefore(
  { runs }: Pick<ImportJob, 'runs'>,
  known: ReadonlyMap<string, WireVersion>,
  { name, version, run_id = '' }: WireVersion,
): WireVersion | undefined {
  const copied = known.get(`${name}/${version}`);
  const run = runs.get(run_id)?.runId;
  return run === undefined || copied?.run_id === run ? copied : undefined;
}

async function versionsOf(server: TrackerServer, name: string): Promise<WireVersion[]> {
  // Neither grammar has an escape; a name holds one kind of quotes at most, or cannot be searched for there either.
  const quote = name.includes("'") ? '"' : "'";
  const filter = `name = ${quote}${name}${quote}`;
  const found: WireVersion[] = [];
  for await (const { model_versions = [] } of server.pages((page) =>
    server.get<{ model_versions?: WireVersion[]; next_page_token?: string }>(`${API}/model-versions/search`, {
      ...{ filter, max_results: PAGE },
      ...page,
    }),
  ))
    found.push(...model_versions);
  return found.sort((a, b) => Number(a.version) - Number(b.version));
}

async function createVersion(job: ImportJob, version: WireVersion): Promise<WireVersion> {
  const source = await placeOf(job, version);
  if (source === null)
    throw new TrackerRefusal(
      404,
      '',
      `its files (${version.source ?? 'of no place'}) are those of no run or model that was copied`,
    );
  const { name, description, run_id = '' } = version;
  const tags = [{ key: SOURCE_TAG, value: sourceOf(version) }];
  const body = { name, source, description, tags, run_id: job.runs.get(run_id)?.runId };
  type Created = { model_version: WireVersion };
  return (await job.to.send<Created>('POST', `${API}/model-versions/create`, body, false)).model_version;
}

/** A version that was made of another has its files. */
const VERSION = /^models:\/+([^/]+)\/(\d+)$/;
/** A version made of a version made of a version, and so on. */
const MOST_COPIES = 20;

/** Where the copy of a version's files lies here: below a logged model, or below the run that logged them. */
async function placeOf(job: ImportJob, version: WireVersion): Promise<string | null> {
  let origin = version;
  for (let left = MOST_COPIES; left > 0; left -= 1) {
    const place = ownPlaceOf(job, origin);
    const named = VERSION.exec(origin.source ?? '');
    if (place !== null || named === null) return place;
    const [, name = '', number = ''] = named;
    type Found = { model_version: WireVersion };
    const wanted = { name, version: number };
    origin = (await job.from.get<Found>(`${API}/model-versions/get`, wanted)).model_version;
  }
  return null;
}

function ownPlaceOf(
  { runs, loggedModels }: Pick<ImportJob, 'runs' | 'loggedModels'>,
  { source = '', run_id = '', model_id = '' }: WireVersion,
): string | null {
  const logged = loggedModels.get(model_id || (/\bm-[0-9a-f]{32}\b/.exec(source)?.[0] ?? ''));
  if (logged !== undefined) return `models:/${logged}`;
  const ofRun =
    /^runs:\/+([0-9a-f]{32})\/(.+)$/.exec(source) ?? /\/([0-9a-f]{32})\/artifacts\/(.+)$/.exec(source);
  const run = runs.get(ofRun?.[1] ?? run_id)?.runId;
  return run === undefined || ofRun === null ? null : `runs:/${run}/${ofRun[2]}`;
}

/** Stage and aliases are set once: the version is whole then, and people here decide about it. */
async function describe(
  job: ImportJob,
  version: WireVersion,
  copied: WireVersion,
  { stage, aliases }: { readonly stage: string; readonly aliases: readonly string[] },
): Promise<void> {
  const { to } = job;
  const [what, at] = [whatOf(version), { name: version.name, version: copied.version }];
  const tag = (pair: KeyValue) => to.send('POST', `${API}/model-versions/set-tag`, { ...at, ...pair });
  const steps = [
    ...ownTags(version.tags).map((pair) => () => tag(pair)),
    ...aliases.map((alias) => () => to.send('POST', `${API}/registered-models/alias`, { ...at, alias })),
  ];
  const isAsked = tagOf(copied.tags, STAGE_TAG) === ASKED;
  if ((copied.current_stage || 'None') === 'None' && stage !== 'None' && !isAsked)
    steps.push(async () => {
      const move = { ...at, stage, archive_existing_versions: false };
      const left = await leftToPeople(() => to.send('POST', `${API}/model-versions/transition-stage`, move));
      if (left === null) return;
      job.problems.push(`${what}: ${left}`);
      await tag({ key: STAGE_TAG, value: ASKED });
    });
  if (await attemptAll(job, what, steps))
    await attempt(job, what, () => tag({ key: STATE_TAG, value: COMPLETE }));
}

/**
 * Asked for once: where a second person decides, or has rejected it, the next import does not ask again.
 * @returns the refusal that says so; null where the stage was changed
 */
async function leftToPeople(move: () => Promise<unknown>): Promise<string | null> {
  try {
    await move();
    return null;
  } catch (error) {
    if (error instanceof TrackerRefusal && isLeftToPeople(error.message)) return error.message;
    throw error;
  }
}
