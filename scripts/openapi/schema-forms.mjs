/** These refuse unknown keys by a check of their own, which names the nearest known key; the generator leaves them open for it. */
const CLOSED = new Set([
  'ExperimentConfig',
  'PresetConfig',
  'PretrainedConfig',
  'SplitConfig',
  'EvaluationConfig',
  'ExportConfig',
  'ServingConfig',
  'DeploymentCreate',
  'TargetsBody',
]);

const INT32_MAX = 2 ** 31 - 1;
const DROPPED = 'Unknown keys are dropped.';

/** Says of each schema what the server does: unknown keys, and how large its numbers may be. Changes the document. */
export function finishSchemas(spec) {
  const schemas = spec.components.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    // Answers stay open because fields may be added within a version; bodies drop what they do not know.
    if (schema.type === 'object' && schema.properties) schema.additionalProperties = !CLOSED.has(name);
  }
  for (const name of bodyNames(spec)) {
    const schema = schemas[name];
    if (schema?.properties && !CLOSED.has(name))
      schema.description = schema.description ? `${schema.description}\n\n${DROPPED}` : DROPPED;
  }
  widenIntegers(spec);
  makePatternsPortable(spec);
}

/** Schemas that operations take as their whole body. */
function bodyNames(spec) {
  const names = new Set();
  for (const item of Object.values(spec.paths))
    for (const operation of Object.values(item))
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        if (schema?.$ref) names.add(schema.$ref.split('/').pop());
  return names;
}

/** The generator calls every integer int32; sizes and offsets are larger. */
function widenIntegers(node) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'integer' && node.format === 'int32' && !(node.maximum <= INT32_MAX))
    node.format = 'int64';
  for (const child of Object.values(node)) widenIntegers(child);
}

/**
 * The server runs patterns on UTF-16 and refuses halves of characters; a reader's engine sees whole characters and may
 * not know the halves at all.
 */
const HALVES = /\(\?:\[\^([^\]]*)\\ud800-\\udfff\]\|\[\\ud800-\\udbff\]\[\\udc00-\\udfff\]\)/g;

function makePatternsPortable(node) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.pattern === 'string') node.pattern = node.pattern.replace(HALVES, '[^$1]');
  for (const child of Object.values(node)) makePatternsPortable(child);
}
