import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Described {
  readonly parameters?: ReadonlyArray<{
    readonly name: string;
    readonly in: string;
    readonly schema: Schema;
  }>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const NOT_FOUND = 'Whatever names nothing is answered 404 and not 422; the request line bounds it.';

/** Incoming texts and lists without a limit of their own, each with the reason. */
const UNLIMITED: Readonly<Record<string, string>> = {
  'GET /users/{id} path id': NOT_FOUND,
  'PATCH /users/{id} path id': NOT_FOUND,
  'DELETE /users/{id} path id': NOT_FOUND,
  'GET /api/v1/serving/endpoints/{name}/proxy/{path} path path': NOT_FOUND,
  'POST /api/v1/serving/endpoints/{name}/proxy/{path} path path': NOT_FOUND,
};

/** Which tenant a call is for: a code of none is answered 404 whatever its length. */
const namesTenant = ({ name, schema }: { readonly name: string; readonly schema: Schema }): boolean =>
  name === 'X-Tenant' || (name === 'tenant' && Object.keys(schema).join() === 'type');

const SHORT_FORMATS = new Set(['uuid', 'date-time', 'date', 'binary']);

/** Binary bodies are bounded by their routes. A pattern bounds a text when nothing in it may repeat for ever. */
const isBounded = ({ maxLength, format = '', pattern, ...schema }: Schema): boolean =>
  maxLength !== undefined ||
  schema.enum !== undefined ||
  SHORT_FORMATS.has(format) ||
  (pattern !== undefined && !/[*+]|,\}/.test(pattern));

/** Names of everything unlimited below a schema; what a named schema holds is named after it. */
function* unlimited(document: Document, schema: Schema, where: string, seen: Set<Schema>): Generator<string> {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) as string;
    const named = document.components.schemas[name] as Schema;
    if (seen.has(named)) return;
    seen.add(named);
    // A plain text with a name of its own is known by where it stands.
    yield* unlimited(document, named, named.properties ? name : where, seen);
    seen.delete(named);
    return;
  }
  const { type, properties = {}, additionalProperties } = schema;
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (type === 'string' && !isBounded(schema)) yield where;
  if (type === 'array' && schema.maxItems === undefined) yield `${where}[]`;
  if (type === undefined && parts.length === 0 && !schema.enum && !schema.properties)
    yield `${where}: anything`;
  for (const part of parts) yield* unlimited(document, part, where, seen);
  if (schema.items) yield* unlimited(document, schema.items, `${where}[] item`, seen);
  for (const [name, property] of Object.entries(properties))
    yield* unlimited(document, property, `${where}.${name}`, seen);
  // Without properties of any type such a map is closed to texts only by the limit of the body.
  if (typeof additionalProperties === 'object' && additionalProperties.type !== undefined)
    yield* unlimited(document, additionalProperties, `${where} value`, seen);
}

/** Each once, in the order of the document. */
function unlimitedOf(document: Document): string[] {
  const found = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(item)) {
      const key = `${method.toUpperCase()} ${path}`;
      for (const parameter of parameters.filter((each) => !namesTenant(each)))
        for (const each of unlimited(
          document,
          parameter.schema,
          `${key} ${parameter.in} ${parameter.name}`,
          new Set(),
        ))
          found.add(each);
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        for (const each of unlimited(document, schema, `${key} body`, new Set())) found.add(each);
    }
  }
  return [...found];
}

describe('what comes in', () => {
  const document = JSON.parse(readFileSync('api/generated/openapi.json', 'utf8')) as Document;

  it('has a limit for every text and every list, or a reason for none', () => {
    expect(unlimitedOf(document).filter((each) => UNLIMITED[each] === undefined)).toEqual([]);
    expect(Object.keys(UNLIMITED).filter((each) => !unlimitedOf(document).includes(each))).toEqual([]);
  });

  it('is looked at in bodies, in lists and parts of them, in queries and headers', () => {
    const text = { type: 'string' };
    const schemas = {
      Body: {
        properties: {
          a: text,
          b: { type: 'array', items: { $ref: '#/components/schemas/Line' } },
          c: { allOf: [{ type: 'array', maxItems: 2, items: text }] },
        },
      },
      Line: text,
    };
    const described: Described = {
      parameters: [
        { name: 'q', in: 'query', schema: { $ref: '#/components/schemas/Line' } },
        { name: 'X-A', in: 'header', schema: {} },
        { name: 'fine', in: 'query', schema: { type: 'string', maxLength: 3 } },
      ],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } } },
    };
    expect(unlimitedOf({ paths: { '/a': { post: described } }, components: { schemas } })).toEqual([
      'POST /a query q',
      'POST /a header X-A: anything',
      'Body.a',
      'Body.b[]',
      'Body.b[] item',
      'Body.c[] item',
    ]);
  });
});
