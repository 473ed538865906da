import { badRequest } from '../../../core/errors/app-error.js';
import { type ExperimentPlace, experimentPlace } from '../../../formats/mlflow/experiment-name.js';
import { parseFilter, parseOrder } from '../../../formats/mlflow/filter.js';
import { pageOffset } from '../../../formats/mlflow/page-token.js';
import type { KeyValue } from '../../../models/tracker/run.types.js';
import type { Fields } from '../protocol/fields.js';
import type { MlflowRoutes, MlflowWork } from '../protocol/mlflow-routes.js';
import { experimentIdOf, viewOf } from '../protocol/wire.js';
import { toMlflowExperiment } from './experiments.mapper.js';
import type { ExperimentsService } from './experiments.service.js';

const MAX_NAME = 500;
const MAX_PROJECT = 250;
const MAX_KEY = 250;
const MAX_TAG = 20_000;

export function registerExperiments(routes: MlflowRoutes, experiments: ExperimentsService): void {
  routes.on('POST experiments/create', async ({ caller, fields }) => {
    const place = placeOf(fields.required('name'));
    requireOwnStore(fields);
    const tags = fields.pairs('tags').map(storableTag);
    return { experiment_id: String(await experiments.create(caller, place, tags)) };
  });
  routes.on('GET experiments/get', async ({ caller, fields }) => ({
    experiment: toMlflowExperiment(await experiments.read(caller, idOf(fields))),
  }));
  routes.on('GET experiments/get-by-name', async ({ caller, fields }) => ({
    experiment: toMlflowExperiment(
      await experiments.readByName(caller, experimentPlace(fields.required('experiment_name'))),
    ),
  }));
  routes.on('POST experiments/update', async ({ caller, fields }) => {
    await experiments.rename(caller, idOf(fields), placeOf(fields.required('new_name')));
    return {};
  });
  routes.on('POST experiments/delete', async ({ caller, fields }) => {
    await experiments.setLifecycle(caller, idOf(fields), 'deleted');
    return {};
  });
  routes.on('POST experiments/restore', async ({ caller, fields }) => {
    await experiments.setLifecycle(caller, idOf(fields), 'active');
    return {};
  });
  routes.on('POST experiments/set-experiment-tag', async ({ caller, fields }) => {
    const tag = storableTag({ key: fields.required('key'), value: fields.text('value') });
    await experiments.setTag(caller, idOf(fields), tag);
    return {};
  });
  routes.on('POST experiments/delete-experiment-tag', async ({ caller, fields }) => {
    await experiments.deleteTag(caller, idOf(fields), fields.required('key'));
    return {};
  });
  routes.on('POST experiments/search-datasets', async ({ caller, fields }) => {
    const ids = await experiments.resolve(caller, fields.texts('experiment_ids', 100).map(experimentIdOf));
    const summaries = await experiments.datasets(caller, ids);
    return {
      dataset_summaries: summaries.map(({ experimentId, name, digest, context }) => ({
        ...{ experiment_id: String(experimentId), name, digest },
        ...(context === null ? {} : { context }),
      })),
    };
  });
  routes.on('POST experiments/search', search(experiments));
  routes.on('GET experiments/search', search(experiments));
}

const search =
  (experiments: ExperimentsService): MlflowWork =>
  async ({ caller, fields }) => {
    const { items, nextPageToken } = await experiments.search(caller, {
      conditions: parseFilter(fields.text('filter')),
      order: fields.texts('order_by', 20).map(parseOrder),
      view: viewOf(fields.raw('view_type')),
      offset: pageOffset(fields.text('page_token')),
      limit: fields.limit('max_results', 1000, 50_000),
    });
    return {
      experiments: items.map(toMlflowExperiment),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  };

const idOf = (fields: Fields): number | null => experimentIdOf(fields.required('experiment_id'));

function placeOf(name: string): ExperimentPlace {
  const place = experimentPlace(name);
  if (name.length > MAX_NAME || place.project.length > MAX_PROJECT)
    throw badRequest(
      `An experiment's name has at most ${MAX_NAME} characters, and at most ${MAX_PROJECT} before the first "/".`,
    );
  return place;
}

/** @throws AppError bad_request for a place outside: bytes are kept by the platform alone */
function requireOwnStore(fields: Fields): void {
  const location = fields.text('artifact_location');
  if (location !== '' && !location.startsWith('mlflow-artifacts:'))
    throw badRequest(
      "Invalid value for parameter 'artifact_location': artifacts are kept by this server; leave it out.",
    );
}

function storableTag(tag: KeyValue): KeyValue {
  if (tag.key.length > MAX_KEY || tag.value.length > MAX_TAG)
    throw badRequest(`A tag has a key of at most ${MAX_KEY} and a value of at most ${MAX_TAG} characters.`);
  return tag;
}
