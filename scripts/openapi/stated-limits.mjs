/**
 * Limits that the server keeps by checks of its own, which answer in more words or with another status than those that
 * the generator would make of them. The description states them all the same.
 */
const NO_CONTROL = '[^\\u0000-\\u001f\\u007f\\\\/]';
const PATH_PARTS = `(?!(?:.*/)?\\.{1,2}(?:/|$))${NO_CONTROL}+(?:/${NO_CONTROL}+)*`;
const NAMED_PART =
  '[^\\u0000-\\u001f\\u007f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufffd\\\\/]{1,255}';
const ARTIFACT_FILE = { pattern: `^${PATH_PARTS}$`, minLength: 1 };
const ARTIFACT_FOLDER = { pattern: `^/*(?:${PATH_PARTS})?/*$` };
// An empty key is the default one; an unknown one is answered 400 with `detail.allowed`.
const sorts = (...keys) => ({ enum: ['', ...keys] });

/** By schema and property. */
const PROPERTIES = {
  LoginForm: {
    username: { minLength: 1 },
    password: { minLength: 1 },
    grant_type: { enum: ['', 'password'] },
  },
  DatasetUploadInit: {
    filename: {
      pattern: `^(?![A-Za-z]:[/\\\\])(?!(?:.*/)?\\.{1,2}(?:/|$))(?!(?:.*/)?\\s+(?:/|$))${NAMED_PART}(?:/${NAMED_PART})*$`,
      description:
        'Path inside the dataset; folders are parted by `/`, and each name has at most 255 bytes of UTF-8.',
    },
  },
};

/** Schemas that are texts. */
const TEXTS = { BaseUrl: { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#@\\\\]+(?:/[^\\s?#\\\\]*)?$' } };

/** By operation and query parameter. */
const QUERIES = {
  Datasets_List: {
    sort: sorts('name', 'id', 'created_at', 'updated_at', 'status', 'size_bytes', 'file_count'),
  },
  DatasetFiles_List: { sort: sorts('path', 'created_at', 'size_bytes') },
  Models_List: { sort: sorts('name', 'created_at', 'updated_at', 'latest_version', 'version_count') },
  Images_List: { sort: sorts('created_at', 'updated_at', 'repository', 'size_bytes') },
  Experiments_List: { sort: sorts('created_at', 'name', 'status', 'started_at', 'finished_at', 'progress') },
  Devices_Fleet: { sort: sorts('id', 'location', 'last_heartbeat', 'created_at') },
  SystemUsers_List: { sort: sorts('email', 'full_name', 'is_active', 'created_at') },
  ExternalSources_ListRemote: { updated_after: { format: 'date-time' } },
  Runs_Artifact: { path: ARTIFACT_FILE },
  Runs_Artifacts: { path: ARTIFACT_FOLDER },
  Runs_Download: { path: ARTIFACT_FOLDER },
  ExperimentRun_Artifacts: { path: ARTIFACT_FOLDER },
  ExperimentRun_Download: { path: ARTIFACT_FOLDER },
};

/** What groups of notifications preferences may name. */
const GROUPS = ['training', 'models', 'datasets', 'deployments', 'edge', 'alerts', 'account', 'platform'];

/** Changes the document. @throws Error naming what is stated of something that is not there */
export function stateLimits(spec) {
  const { schemas } = spec.components;
  for (const [name, properties] of Object.entries(PROPERTIES))
    for (const [property, stated] of Object.entries(properties))
      Object.assign(found(schemas[name]?.properties?.[property], `${name}.${property}`), stated);
  for (const [name, stated] of Object.entries(TEXTS)) Object.assign(found(schemas[name], name), stated);
  const operations = Object.values(spec.paths).flatMap((item) => Object.values(item));
  for (const [id, queries] of Object.entries(QUERIES)) {
    const { parameters } = found(
      operations.find(({ operationId }) => operationId === id),
      id,
    );
    for (const [name, stated] of Object.entries(queries)) {
      const parameter = found(
        parameters.find((each) => each.in === 'query' && each.name === name),
        `${id} ${name}`,
      );
      parameter.schema = { ...inlined(parameter.schema, schemas), ...stated };
    }
  }
  const choices = Object.fromEntries(
    GROUPS.map((key) => [key, { $ref: '#/components/schemas/ChannelsBody' }]),
  );
  const { prefs } = found(schemas.PreferencesBody, 'PreferencesBody').properties;
  schemas.PreferencesBody.properties.prefs = {
    type: 'object',
    description: prefs.description,
    properties: choices,
    additionalProperties: false,
  };
}

const inlined = (schema, schemas) => (schema.$ref ? { ...schemas[schema.$ref.split('/').pop()] } : schema);

function found(part, name) {
  if (!part) throw new Error(`stated limits: there is no ${name}`);
  return part;
}
