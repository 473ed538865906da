/// <reference types="node" />
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLE_CALLS } from '../../../web/src/shared/example-calls';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
}
interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

const document = JSON.parse(
  readFileSync(new URL('../../../api/generated/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** With what it refers to in one. */
function whole(schema: Schema): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const referred = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
  return Object.assign({}, ...allOf.map(whole), referred && whole(referred), own);
}

/** What is wrong with a value, as far as examples go. */
function problemsOf(value: unknown, schema: Schema, at: string): string[] {
  const { type, required = [], properties = {}, enum: allowed, pattern } = whole(schema);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return [
      ...required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`),
      ...entries.flatMap(([name, part]) =>
        properties[name] === undefined
          ? [`${at}.${name} is not known`]
          : problemsOf(part, properties[name], `${at}.${name}`),
      ),
    ];
  }
  const types = typeof value === 'number' ? ['number', 'integer'] : [typeof value];
  if (type !== undefined && !types.includes(type)) return [`${at} is no ${type}`];
  if (allowed !== undefined && !allowed.includes(value)) return [`${at} is not one of ${allowed.join()}`];
  return pattern !== undefined && !new RegExp(pattern, 'u').test(String(value)) ? [`${at} does not fit`] : [];
}

const operationOf = (method: string, path: string): Operation | undefined => {
  const isPath = (template: string) =>
    new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`, 'u').test(path);
  const found = Object.keys(document.paths).filter(isPath);
  // A path without places stands before one with them.
  const template = found.find((each) => !each.includes('{')) ?? found[0] ?? '';
  return document.paths[template]?.[method.toLowerCase()];
};

describe('the line of an empty page', () => {
  it.each(Object.entries(EXAMPLE_CALLS))('for %s is a call that the API takes', (_name, call) => {
    const operation = operationOf(call.method ?? 'GET', call.path);
    const schema = operation?.requestBody?.content['application/json']?.schema;
    const problems = schema ? problemsOf(call.body, schema, 'body') : [];
    expect([operation !== undefined, schema !== undefined, problems]).toEqual([
      true,
      call.body !== undefined,
      [],
    ]);
  });
});
