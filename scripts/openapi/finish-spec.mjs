import { addExamples } from './body-examples.mjs';
import { TAGS } from './introduction.mjs';
import { finishSchemas } from './schema-forms.mjs';
import { stateLimits } from './stated-limits.mjs';

/** Turns tsoa's document into the published one. Pure: same input, same output. */

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const ERROR_REF = { $ref: '#/components/schemas/ErrorOut' };
const VALIDATION_REF = { $ref: '#/components/schemas/HTTPValidationError' };

const SCHEMES = {
  svcauth: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svcauth',
    description: 'Session cookie of POST /auth/cookie/login',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of POST /auth/jwt/login',
  },
  edgeToken: { type: 'apiKey', in: 'header', name: 'X-Edge-Token', description: 'Device token' },
  webhookToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Token',
    description: 'Token of the alert manager',
  },
};

const SESSION = [{ svcauth: [] }, { bearer: [] }];

/** What `@Security(name, scopes)` of a controller means in the document: for `user`, any of the permissions is enough. */
const ACCESS = {
  public: () => ({ security: [] }),
  session: () => ({ security: SESSION }),
  admin: () => ({ security: SESSION }),
  user: (scopes) => ({ security: SESSION, 'x-permissions': scopes }),
  device: (scopes) => ({ security: [{ edgeToken: [] }], 'x-scopes': scopes }),
  webhook: () => ({ security: [{ webhookToken: [] }] }),
};

export function finishSpec(source) {
  const spec = structuredClone(source);
  const ids = new Map();
  spec.paths = Object.fromEntries(
    Object.entries(spec.paths).map(([path, item]) => [restoreColons(path, item), item]),
  );
  spec.paths = Object.fromEntries(Object.entries(spec.paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const where = `${method.toUpperCase()} ${path}`;
      if (ids.has(operation.operationId))
        throw new Error(
          `${where}: operationId ${operation.operationId} is also that of ${ids.get(operation.operationId)}`,
        );
      ids.set(operation.operationId, where);
      finishOperation(where, operation);
    }
  }
  stateLimits(spec);
  finishSchemas(spec);
  addExamples(spec);
  spec.tags = TAGS;
  spec.components.securitySchemes = SCHEMES;
  delete spec.servers;
  return spec;
}

/** `{a}{complete}` and `/{from-external}` back to `{a}:complete` and `:from-external`, where no such parameter exists. */
function restoreColons(path, item) {
  const known = new Set(
    METHODS.flatMap((m) => (item[m]?.parameters ?? []).filter((p) => p.in === 'path').map((p) => p.name)),
  );
  return path.replace(/\/?\{([^}]+)\}/g, (whole, name) => (known.has(name) ? whole : `:${name}`));
}

function finishOperation(where, operation) {
  const security = operation.security ?? [];
  if (security.length !== 1 || Object.keys(security[0]).length !== 1)
    throw new Error(`${where}: declare exactly one @Security`);
  const [[name, scopes]] = Object.entries(security[0]);
  const access = ACCESS[name];
  if (!access) throw new Error(`${where}: unknown access '${name}'`);
  if (name === 'user' && scopes.length === 0) throw new Error(`${where}: name a permission`);
  Object.assign(operation, access(scopes), { 'x-access': name });
  if (!operation.summary) throw new Error(`${where}: no summary`);
  if (!operation.tags?.length) throw new Error(`${where}: no tag`);
  for (const tag of operation.tags)
    if (!TAGS.some(({ name: known }) => known === tag))
      throw new Error(`${where}: describe the group ${tag} in scripts/openapi/introduction.mjs`);
  finishBody(operation);
  finishParameters(operation, name);
  finishErrors(operation, name);
}

function finishBody(operation) {
  const raw = operation['x-raw-body'];
  if (raw) {
    // The handler reads the stream itself; several types are parted by commas.
    const schema = { type: 'string', format: 'binary' };
    operation.requestBody = {
      required: true,
      content: Object.fromEntries(
        raw
          .split(',')
          .map((type) => [type, { schema: type === 'application/json' ? { type: 'object' } : schema }]),
      ),
    };
    operation['x-stream-body'] = true;
  }
  delete operation['x-raw-body'];
  const form = operation['x-form-body'];
  if (form)
    operation.requestBody = {
      required: true,
      content: { 'application/x-www-form-urlencoded': operation.requestBody.content['application/json'] },
    };
  delete operation['x-form-body'];
  // A form of one file: other fields are refused.
  const multipart = operation.requestBody?.content['multipart/form-data'];
  if (multipart) multipart.schema.additionalProperties = false;
  // What a stream says of its events stands in words: this version of OpenAPI has no schema for them.
  if (operation['x-event-stream']) operation.responses[200].content = { 'text/event-stream': {} };
  delete operation['x-event-stream'];
  finishTexts(operation);
}

/** Answers that are texts: those beside JSON, and those that the generator calls bytes. */
function finishTexts(operation) {
  const { content } = operation.responses[200] ?? {};
  const other = operation['x-also-answers'];
  if (other) content[other] = { schema: { type: 'string' } };
  delete operation['x-also-answers'];
  for (const { schema } of Object.values(content ?? {})) if (schema?.format === 'byte') delete schema.format;
}

function finishParameters(operation, access) {
  operation.parameters ??= [];
  if (access !== 'user') return;
  operation.parameters.push({
    in: 'header',
    name: 'X-Tenant',
    required: false,
    schema: { type: 'string' },
    description: 'Tenant code; wins over the query parameter',
  });
  if (!operation.parameters.some((p) => p.in === 'query' && p.name === 'tenant'))
    operation.parameters.push({
      in: 'query',
      name: 'tenant',
      required: false,
      schema: { type: 'string' },
      description: 'Tenant code, where no header can be sent',
    });
}

const json = (schema, description) => ({ description, content: { 'application/json': { schema } } });

function finishErrors(operation, access) {
  const hasInput =
    operation.requestBody || operation.parameters.some((p) => p.name !== 'X-Tenant' && p.name !== 'tenant');
  const declared = {
    ...(access === 'user' ? { 400: 'Tenant context is missing, or a bad list parameter' } : {}),
    ...(access === 'public' ? {} : { 401: 'No valid session or token' }),
    ...(access === 'public' || access === 'session' ? {} : { 403: 'Not allowed' }),
    ...(access === 'user' || operation.parameters.some((p) => p.in === 'path') ? { 404: 'Not found' } : {}),
    ...(access === 'device' ? { 503: 'The device is blocked' } : {}),
  };
  for (const [status, text] of Object.entries(declared))
    operation.responses[status] ??= json(ERROR_REF, text);
  if (hasInput) operation.responses[422] ??= json(VALIDATION_REF, 'The request is not valid');
  operation.responses.default ??= json(ERROR_REF, 'Any other failure');
}
