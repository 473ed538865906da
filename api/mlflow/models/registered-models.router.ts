import { parseFilter, parseOrder } from '../../../formats/mlflow/filter.js';
import { pageOffset } from '../../../formats/mlflow/page-token.js';
import type { RegistrySearch } from '../../../models/registry/labels/labels.queries.js';
import type { Fields } from '../protocol/fields.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { versionOf } from '../protocol/wire.js';
import type { MlflowModelsService } from './mlflow-models.service.js';
import { toMlflowModel, toMlflowVersion } from './model.mapper.js';

export function registerRegisteredModels(routes: MlflowRoutes, models: MlflowModelsService): void {
  const nameOf = (fields: Fields): string => fields.required('name');
  routes.on('POST registered-models/create', async ({ caller, fields }) => {
    const description = fields.optional('description');
    const model = await models.create(caller, nameOf(fields), description, fields.pairs('tags'));
    return { registered_model: toMlflowModel(model) };
  });
  routes.on('GET registered-models/get', async ({ caller, fields }) => ({
    registered_model: toMlflowModel(await models.read(caller, nameOf(fields))),
  }));
  routes.on('POST registered-models/rename', async ({ caller, fields }) => ({
    registered_model: toMlflowModel(await models.rename(caller, nameOf(fields), fields.required('new_name'))),
  }));
  routes.on('PATCH registered-models/update', async ({ caller, fields }) => ({
    registered_model: toMlflowModel(
      await models.describe(caller, nameOf(fields), fields.text('description')),
    ),
  }));
  routes.on('DELETE registered-models/delete', async ({ caller, fields }) => {
    await models.remove(caller, nameOf(fields));
    return {};
  });
  routes.on('GET registered-models/search', async ({ caller, fields }) => {
    const { items, nextPageToken } = await models.search(caller, searchOf(fields, 100, 1000));
    return {
      registered_models: items.map(toMlflowModel),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  });
  routes.on('POST registered-models/set-tag', async ({ caller, fields }) => {
    const tag = { key: fields.required('key'), value: fields.text('value') };
    await models.setTag(caller, nameOf(fields), tag);
    return {};
  });
  routes.on('DELETE registered-models/delete-tag', async ({ caller, fields }) => {
    await models.deleteTag(caller, nameOf(fields), fields.required('key'));
    return {};
  });
  routes.on('POST registered-models/alias', async ({ caller, fields }) => {
    const version = versionOf(fields.required('version'));
    await models.setAlias(caller, nameOf(fields), fields.required('alias'), version);
    return {};
  });
  routes.on('DELETE registered-models/alias', async ({ caller, fields }) => {
    await models.deleteAlias(caller, nameOf(fields), fields.required('alias'));
    return {};
  });
  routes.on('GET registered-models/alias', async ({ caller, fields }) => ({
    model_version: toMlflowVersion(await models.byAlias(caller, nameOf(fields), fields.required('alias'))),
  }));
}

export const searchOf = (fields: Fields, usual: number, most: number): RegistrySearch => ({
  conditions: parseFilter(fields.text('filter')),
  order: fields.texts('order_by', 20).map(parseOrder),
  offset: pageOffset(fields.text('page_token')),
  limit: fields.limit('max_results', usual, most),
});
