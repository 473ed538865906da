import { randomUUID } from 'node:crypto';
import type { TestApi, TestUser } from '../support/test-api.js';
import { documentOf, fillPath, type Operation, type Schema } from './operations.js';
import { probe, type ProbeAnswer, sampleBody } from './probe.js';
import { factoryOf, RESOURCE_FACTORIES } from './resource-factories.js';
import type { TenantPair } from './tenant-pair.js';

/** A field of a body or a query that names a resource of a tenant. */
export interface ForeignField {
  /** Key of the operation, `body` or `query`, name of the field. */
  readonly field: string;
  /** Prefix of the factory that makes what it names, and under which name the factory gives it. */
  readonly of: readonly [prefix: string, name: string];
  /** What else the body must hold for the field to be looked at. */
  readonly beside?: (own: TenantPair['own']) => Readonly<Record<string, unknown>>;
}

const [DATASETS, SYNCS, SOURCES] = [
  '/api/v1/datasets/',
  '/api/v1/datasets/{dataset_id}/syncs',
  '/api/v1/external-sources/',
] as const;
const [RUNS, MODELS, ENDPOINTS, TRAINING] = [
  '/api/v1/runs/',
  '/api/v1/models/',
  '/api/v1/serving/endpoints/',
  '/api/v1/training/',
] as const;

const [DEVICES, DEPLOYMENTS] = ['/api/v1/edge/devices/', '/api/v1/deployments/'] as const;

const remote = () => ({ remote_dataset_id: 'scans' });
const endpoint = (own: TenantPair['own']) => ({
  name: `e${randomUUID().slice(0, 12)}`,
  image_id: own.get(ENDPOINTS)?.image_id,
});
const network = (own: TenantPair['own']) => ({
  ...{ task: 'classification', framework: 'torchvision', model: 'resnet18' },
  ...{ dataset_id: own.get(TRAINING)?.dataset_id, pretrained: { source: 'model' } },
});
const experiment = () => ({ task: 'classification', framework: 'sklearn', model: 'knn' });

export const FOREIGN_FIELDS: readonly ForeignField[] = [
  {
    field: 'PUT /api/v1/datasets/{dataset_id}/source body source_id',
    of: [SOURCES, 'source_id'],
    beside: remote,
  },
  { field: 'POST /api/v1/datasets:from-external body source_id', of: [SOURCES, 'source_id'], beside: remote },
  {
    field: 'GET /api/v1/datasets/{dataset_id}/annotations query file_ids',
    of: [DATASETS, 'file_id'],
  },
  { field: 'GET /api/v1/datasets query external_source', of: [SYNCS, 'source_id'] },
  {
    field:
      'GET /api/v1/external-sources/{source_id}/remote-datasets/{remote_dataset_id}/manifest query dataset_id',
    of: [DATASETS, 'dataset_id'],
  },
  { field: 'GET /api/v1/runs/compare query run_ids', of: [RUNS, 'run_id'] },
  { field: 'GET /api/v1/registry/images query model', of: [MODELS, 'name'] },
  { field: 'POST /api/v1/serving/endpoints body image_id', of: [ENDPOINTS, 'image_id'], beside: endpoint },
  {
    field: 'POST /api/v1/serving/endpoints body validation_dataset_id',
    of: [TRAINING, 'dataset_id'],
    beside: endpoint,
  },
  { field: 'GET /api/v1/deployments query model', of: [DEPLOYMENTS, 'name'] },
  { field: 'GET /api/v1/deployments query device', of: [DEPLOYMENTS, 'device_id'] },
  {
    field: 'GET /api/v1/deployments/{deployment_id}/logs query device_id',
    of: [DEPLOYMENTS, 'device_id'],
  },
  {
    field: 'POST /api/v1/deployments body target_device_id',
    of: [DEVICES, 'device_id'],
    beside: (own) => ({ model_name: own.get(MODELS)?.name, version: 1 }),
  },
  { field: 'GET /api/v1/edge/fleet query model', of: [DEPLOYMENTS, 'name'] },
  {
    field: 'POST /api/v1/training/experiments body dataset_id',
    of: [TRAINING, 'dataset_id'],
    beside: experiment,
  },
  {
    field: 'POST /api/v1/training/experiments:validate body dataset_id',
    of: [TRAINING, 'dataset_id'],
    beside: experiment,
  },
  {
    field: 'POST /api/v1/training/experiments:estimate body dataset_id',
    of: [TRAINING, 'dataset_id'],
    beside: experiment,
  },
  ...['experiments', 'experiments:validate', 'experiments:estimate'].map((operation) => ({
    field: `POST /api/v1/training/${operation} body pretrained.model_name`,
    of: [MODELS, 'name'] as const,
    beside: network,
  })),
];

const CATALOG = 'Names a kind of model of the catalog, which is everybody’s.';
const REMOTE = 'Names something of the other system.';
const OWN_NEW = 'Names what is made, in the tenant of the call.';
const FREE = 'A text that names nothing.';

/** Fields that look as if they named a resource of a tenant and do not, by their name or with their operation; each with the reason. */
export const NO_REFERENCES: Readonly<Record<string, string>> = {
  'body source': FREE,
  'query source': FREE,
  'body schema_version': FREE,
  'body sdk_version': FREE,
  'POST /api/v1/edge/devices body id': OWN_NEW,
  'body full_name': FREE,
  'body runtime_variant': 'Names a variant of a runtime, which is everybody’s.',
  'body runtime_image': 'Names an image of a runtime, which is everybody’s.',
  'body model': CATALOG,
  'GET /api/v1/training/catalog/hyperparameters query model': CATALOG,
  'GET /api/v1/training/datasets/{dataset_id}/classes query model': CATALOG,
  'body config.model': CATALOG,
  'body config.dataset_id': 'Kept as it came: whoever uses the preset names a dataset of the tenant.',
  'body config.runtime_variant': 'Kept as it came, and looked up nowhere.',
  'body config.runtime_image': 'Kept as it came, and looked up nowhere.',
  'body config.pretrained.source': 'One of three words.',
  'body config.pretrained.model_name': 'Kept as it came, and looked up nowhere.',
  'body config.serving.endpoint_name': OWN_NEW,
  'body config.experiment_name': OWN_NEW,
  'body config.register_model_name': OWN_NEW,
  'body pretrained.source': 'One of three words.',
  'query variant': 'One of two words.',
  'query max_runs': 'A number.',
  'body file': 'The bytes themselves.',
  'body remote_dataset_id': REMOTE,
  'body validation.errors[].code': FREE,
  'body validation.errors[].file_id': 'Kept as it came and looked up nowhere.',
  'body validation.warnings[].code': FREE,
  'body validation.warnings[].file_id': 'Kept as it came and looked up nowhere.',
  'POST /api/v1/datasets body id': OWN_NEW,
  'GET /api/v1/models/{name}/distribution query version': 'A number within the model that the path names.',
  'body model_name': OWN_NEW,
  'body serving.endpoint_name': OWN_NEW,
  'body experiment_name': OWN_NEW,
  'body register_model_name': OWN_NEW,
  'body targets.ids': 'Devices of the tenant of the call alone: see deployments.test.ts.',
  'POST /api/v1/deployments body image': 'What devices pull; looked up nowhere.',
  'GET /api/v1/edge/fleet query version': 'A number within the model that the query names.',
  'GET /api/v1/deployments query version': 'A number within the model that the query names.',
  'query tenant': 'The tenant of the call itself: see tenant-selection.test.ts.',
  'POST /users/me/tokens body tenant_code': 'A tenant: tried by itself.',
};

const REFERENCE =
  /(^|_)(id|code|model|dataset|source|image|run|experiment|endpoint|device|tenant|user|variant|target|version|sync|upload|file|artifact)s?$|_name$/;

/** `body a.b[]` and `query a` of everything that people send for a tenant or for themselves and that is named like a reference. */
export function referencesOf(api: TestApi, operation: Operation): string[] {
  const { schemas } = documentOf(api).components;
  const found = new Set(
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && REFERENCE.test(parameter.name))
      .map(({ name }) => `query ${name}`),
  );
  const walk = (schema: Schema, where: string, depth: number): void => {
    const named = schema.$ref ? (schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
    for (const part of [...(named.allOf ?? []), ...(named.anyOf ?? [])]) walk(part, where, depth);
    if (named.items) walk(named.items, `${where}[]`, depth);
    if (depth > 8) return;
    for (const [name, property] of Object.entries(named.properties ?? {})) {
      const place = where === '' ? name : `${where}.${name}`;
      if (REFERENCE.test(name) && isText(property, schemas)) found.add(`body ${place}`);
      walk(property, place, depth + 1);
    }
  };
  for (const { schema } of Object.values(operation.content ?? {})) walk(schema, '', 0);
  return [...found];
}

function isText(schema: Schema, schemas: Readonly<Record<string, Schema>>): boolean {
  const named = schema.$ref ? (schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
  const parts = [...(named.allOf ?? []), ...(named.anyOf ?? []), ...(named.items ? [named.items] : [])];
  return named.type === 'string' || parts.some((part) => isText(part, schemas));
}

export interface FieldAnswers {
  readonly foreign: ProbeAnswer;
  readonly none: ProbeAnswer;
  readonly own: ProbeAnswer;
}

/** Asks with the id of another tenant, with one that nobody has and with one's own. The id itself is left out of the answers. */
export async function askWithField(
  pair: TenantPair,
  { field, of: [prefix, name], beside }: ForeignField,
  user: TestUser,
): Promise<FieldAnswers> {
  const [method, path, place, key] = field.split(' ') as [string, string, string, string];
  const operation = pair.operations.find((each) => each.key === `${method} ${path}`);
  const random = RESOURCE_FACTORIES.find((factory) => factory.prefix === prefix)?.random()[name];
  const [foreign, own] = [pair.theirs.get(prefix)?.[name], pair.own.get(prefix)?.[name]];
  if (!operation || !random || !foreign || !own)
    throw new Error(`${field} has no operation, or no value from its factory`);
  const ask = async (value: string): Promise<ProbeAnswer> => {
    const filled = fillPath(path, (each) => pair.own.get(factoryOf(path)?.prefix ?? '')?.[each] ?? '!');
    const given = withField(beside?.(pair.own) ?? {}, key.split('.'), value);
    const options =
      place === 'query'
        ? { path: `${filled}?${key}=${encodeURIComponent(value)}` }
        : { path: filled, ...sampleBody(pair.api, operation, given) };
    const answer = await probe(pair.api, operation, { token: user.token, tenant: pair.b.code, ...options });
    return { ...answer, text: answer.text.replaceAll(value, '<id>') };
  };
  return { foreign: await ask(foreign), none: await ask(random), own: await ask(own) };
}

/** @param path names of fields, each within the one before */
function withField(
  body: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  value: string,
): Record<string, unknown> {
  const within = () => withField((body[name] ?? {}) as Record<string, unknown>, rest, value);
  return { ...body, [name]: rest.length === 0 ? value : within() };
}
