import type { TestApi } from '../support/test-api.js';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One operation of the API description, as the generated tests use it. */
export interface Operation {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly access: string;
  /** With access `user`: the permission it takes, or those of which it takes any, joined by ` or `. */
  readonly permission: string | null;
  readonly parameters: readonly Parameter[];
  readonly pathParameters: readonly string[];
  /** Answers server-sent events. */
  readonly isStream: boolean;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>> | null;
}

type Responses = Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const documentOf = (api: TestApi): Document => api.container.openapi as unknown as Document;

/** Every operation of openapi.json. */
export function operationsOf(api: TestApi): Operation[] {
  return Object.entries(documentOf(api).paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, never>>).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []) as Parameter[];
      return {
        key: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        operationId: String(operation.operationId),
        access: String(operation['x-access']),
        permission: (operation['x-permissions'] as string[] | undefined)?.join(' or ') ?? null,
        parameters,
        pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string),
        isStream:
          (operation.responses as unknown as Responses)['200']?.content?.['text/event-stream'] !== undefined,
        content: (operation.requestBody as { content: Operation['content'] } | undefined)?.content ?? null,
      };
    }),
  );
}

export const fillPath = (path: string, values: (name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values(name)));

const CANDIDATES = [
  'a',
  'abc',
  'demo-1',
  '1',
  '2026-01-01T00:00:00Z',
  'a@example.com',
  'https://example.com',
  'GET',
  '1h',
  'a/b',
  '0'.repeat(32),
  'a'.repeat(64),
  'sha256:'.padEnd(71, '0'),
  'none',
  'bytes 0-0/1',
];
const UUID = '7b1d8a52-4a0e-4f0e-9d8e-0a4f6d1c2b3a';

/** The smallest value that a schema calls valid. @throws Error when none of ours fits its pattern */
export function sampleOf(document: Document, schema: Schema): unknown {
  if (schema.$ref)
    return sampleOf(document, document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  if (schema.enum) return schema.enum[0];
  if (schema.allOf)
    return schema.allOf.length === 1
      ? sampleOf(document, schema.allOf[0] as Schema)
      : Object.assign({}, ...schema.allOf.map((part) => sampleOf(document, part)));
  if (schema.anyOf) return sampleOf(document, schema.anyOf[0] as Schema);
  switch (schema.type) {
    case 'string':
      return sampleText(schema);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(document, schema.items as Schema));
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          sampleOf(document, schema.properties?.[name] as Schema),
        ]),
      );
  }
}

function sampleText(schema: Schema): string {
  if (schema.format === 'uuid') return UUID;
  if (schema.format === 'date-time') return '2026-01-01T00:00:00Z';
  const fits = CANDIDATES.concat(UUID).find(
    (text) =>
      text.length >= (schema.minLength ?? 0) &&
      (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)),
  );
  if (fits === undefined) throw new Error(`no sample text fits ${schema.pattern}`);
  return fits;
}
