import { badRequest } from '../../../core/errors/app-error.js';
import { parseFilter } from '../../../formats/mlflow/filter.js';
import { pageOffset } from '../../../formats/mlflow/page-token.js';
import type { MeasuredOn } from '../../../models/tracker/logged-models/logged-model.queries.js';
import {
  LOGGED_MODEL_STATUSES,
  type LoggedModelStatus,
} from '../../../models/tracker/logged-models/logged-model.types.js';
import type { ExperimentsService } from '../experiments/experiments.service.js';
import type { Fields } from '../protocol/fields.js';
import type { MlflowCall, MlflowRoutes } from '../protocol/mlflow-routes.js';
import { experimentIdOf } from '../protocol/wire.js';
import { toMlflowLoggedModel } from './logged-model.mapper.js';
import type { LoggedModelsService } from './logged-models.service.js';

const idOf = ({ req }: MlflowCall): string => String(req.params.model_id);

export function registerLoggedModels(
  routes: MlflowRoutes,
  models: LoggedModelsService,
  experiments: ExperimentsService,
): void {
  routes.on('POST logged-models', async ({ caller, fields }) => {
    const model = await models.create(caller, {
      experimentId: experimentIdOf(fields.text('experiment_id') || '0'),
      name: nameOf(fields),
      modelType: fields.optional('model_type'),
      sourceRunId: fields.text('source_run_id') || null,
      params: limited(fields.pairs('params')),
      tags: limited(fields.pairs('tags')),
    });
    return { model: toMlflowLoggedModel(model) };
  });
  routes.on('GET logged-models/:model_id', async (call) => {
    const withDeleted = call.fields.boolean('allow_deleted');
    return { model: toMlflowLoggedModel(await models.read(call.caller, idOf(call), withDeleted)) };
  });
  routes.on('PATCH logged-models/:model_id', async (call) => ({
    model: toMlflowLoggedModel(await models.finish(call.caller, idOf(call), statusOf(call.fields))),
  }));
  routes.on('DELETE logged-models/:model_id', async (call) => {
    await models.remove(call.caller, idOf(call));
    return {};
  });
  routes.on('POST logged-models/:model_id/params', async (call) => {
    await models.addParams(call.caller, idOf(call), limited(call.fields.pairs('params')));
    return {};
  });
  routes.on('PATCH logged-models/:model_id/tags', async (call) => ({
    model: toMlflowLoggedModel(
      await models.setTags(call.caller, idOf(call), limited(call.fields.pairs('tags'))),
    ),
  }));
  routes.on('DELETE logged-models/:model_id/tags/:key', async (call) => {
    await models.deleteTag(call.caller, idOf(call), String(call.req.params.key));
    return {};
  });
  routes.on('POST logged-models/search', async ({ caller, fields }) => {
    const { items, nextPageToken } = await models.search(caller, {
      experiments: await experiments.resolve(
        caller,
        fields.texts('experiment_ids', 1000).map(experimentIdOf),
      ),
      conditions: parseFilter(fields.text('filter')),
      datasets: fields.objects('datasets').map(measuredOn),
      order: fields.objects('order_by', 20).map(orderOf),
      offset: pageOffset(fields.text('page_token')),
      limit: fields.limit('max_results', 50, 1000),
    });
    return {
      models: items.map(toMlflowLoggedModel),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  });
}

/** As MLflow names them: a name stands in paths. */
function nameOf(fields: Fields): string {
  const name = fields.text('name');
  if (name.length > 500 || /[/:.%"']/.test(name))
    throw badRequest('Invalid model name: at most 500 characters, none of / : . % " and \'.');
  return name;
}

const MAX_KEY = 250;
const MAX_PARAM = 6000;
const MAX_TAG = 8000;

function limited<T extends { readonly key: string; readonly value: string }>(
  pairs: readonly T[],
): readonly T[] {
  for (const { key, value } of pairs)
    if (key.length > MAX_KEY || value.length > Math.max(MAX_PARAM, MAX_TAG))
      throw badRequest(`A key has at most ${MAX_KEY} and a value at most ${MAX_TAG} characters.`);
  return pairs;
}

function statusOf(fields: Fields): LoggedModelStatus {
  const given = fields.required('status').replace(/^LOGGED_MODEL_/, '');
  if (!(LOGGED_MODEL_STATUSES as readonly string[]).includes(given))
    throw badRequest(
      "Invalid value for parameter 'status': it is LOGGED_MODEL_READY or LOGGED_MODEL_UPLOAD_FAILED.",
    );
  return given as LoggedModelStatus;
}

const measuredOn = (fields: Fields): MeasuredOn => ({
  name: fields.required('dataset_name'),
  digest: fields.text('dataset_digest') || null,
});

/** A plain name, in which quotes are characters like any others. @throws AppError bad_request */
function placeOf(field: string) {
  const dot = field.indexOf('.');
  if (dot < 0) return { entity: 'attribute', key: field };
  if (field.slice(0, dot) !== 'metrics')
    throw badRequest(
      `Invalid order by field name: ${JSON.stringify(field.slice(0, 100))}. Only metrics are supported.`,
    );
  return { entity: 'metrics', key: field.slice(dot + 1) };
}

function orderOf(fields: Fields) {
  const isAscending = fields.has('ascending') ? fields.boolean('ascending') : true;
  return {
    ...placeOf(fields.required('field_name')),
    isDescending: !isAscending,
    dataset: fields.has('dataset_name') ? measuredOn(fields) : null,
  };
}
