import type { Fields } from '../protocol/fields.js';
import type { MlflowRoutes, MlflowWork } from '../protocol/mlflow-routes.js';
import { versionRoot } from '../artifacts/artifact-place.rules.js';
import { versionOf } from '../protocol/wire.js';
import { toMlflowVersion } from './model.mapper.js';
import type { ModelVersionsService } from './model-versions.service.js';
import { searchOf } from './registered-models.router.js';

const nameOf = (fields: Fields): string => fields.required('name');
const numberOf = (fields: Fields): number => versionOf(fields.required('version'));

export function registerModelVersions(routes: MlflowRoutes, versions: ModelVersionsService): void {
  routes.on('POST model-versions/create', async ({ caller, fields }) => {
    const version = await versions.create(caller, {
      modelName: nameOf(fields),
      source: fields.required('source'),
      runId: fields.text('run_id') || null,
      description: fields.optional('description'),
      tags: fields.pairs('tags'),
    });
    return { model_version: toMlflowVersion(version) };
  });
  routes.on('GET model-versions/get', async ({ caller, fields }) => ({
    model_version: toMlflowVersion(await versions.read(caller, nameOf(fields), numberOf(fields))),
  }));
  routes.on('PATCH model-versions/update', async ({ caller, fields }) => {
    const description = fields.text('description');
    return {
      model_version: toMlflowVersion(
        await versions.describe(caller, nameOf(fields), numberOf(fields), description),
      ),
    };
  });
  routes.on('DELETE model-versions/delete', async ({ caller, fields }) => {
    await versions.remove(caller, nameOf(fields), numberOf(fields));
    return {};
  });
  routes.on('GET model-versions/search', async ({ caller, fields }) => {
    const { items, nextPageToken } = await versions.search(caller, searchOf(fields, 10_000, 200_000));
    return {
      model_versions: items.map(toMlflowVersion),
      ...(nextPageToken === null ? {} : { next_page_token: nextPageToken }),
    };
  });
  routes.on('GET model-versions/get-download-uri', async ({ caller, fields }) => {
    const { id } = await versions.read(caller, nameOf(fields), numberOf(fields));
    return { artifact_uri: versionRoot(id) };
  });
  routes.on('POST model-versions/set-tag', async ({ caller, fields }) => {
    const tag = { key: fields.required('key'), value: fields.text('value') };
    await versions.setTag(caller, nameOf(fields), numberOf(fields), tag);
    return {};
  });
  routes.on('DELETE model-versions/delete-tag', async ({ caller, fields }) => {
    await versions.deleteTag(caller, nameOf(fields), numberOf(fields), fields.required('key'));
    return {};
  });
  routes.on('POST model-versions/transition-stage', async ({ caller, fields }) => {
    const archives = fields.boolean('archive_existing_versions');
    const stage = fields.required('stage');
    const version = await versions.moveTo(caller, nameOf(fields), numberOf(fields), stage, archives);
    return { model_version: toMlflowVersion(version) };
  });
  const latest: MlflowWork = async ({ caller, fields }) => {
    const found = await versions.latest(caller, nameOf(fields), fields.texts('stages', 10));
    return { model_versions: found.map(toMlflowVersion) };
  };
  routes.on('GET registered-models/get-latest-versions', latest);
  routes.on('POST registered-models/get-latest-versions', latest);
}
