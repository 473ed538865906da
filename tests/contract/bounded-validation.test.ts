import { describe, expect, it } from '@jest/globals';
import { type FieldErrors, type TsoaRoute, ValidationService } from '@tsoa/runtime';
import { boundValidation } from '../../api/http/library-patches/bounded-validation.js';
import { MAX_FIELD_ERRORS } from '../../core/errors/app-error.js';
import { fieldErrors } from '../../api/http/answers/validation-fields.js';

boundValidation();

const text: TsoaRoute.PropertySchema = { dataType: 'string', required: true };
const models: TsoaRoute.Models = {
  Variable: { dataType: 'refObject', properties: { name: text, unit: text }, additionalProperties: false },
  Labels: { dataType: 'refObject', properties: {}, additionalProperties: { dataType: 'string' } },
};
const ofVariables: TsoaRoute.PropertySchema = {
  dataType: 'array',
  array: { dataType: 'refObject', ref: 'Variable' },
};

function check(schema: TsoaRoute.PropertySchema, value: unknown): FieldErrors {
  const found: FieldErrors = {};
  const service = new ValidationService(models, {
    noImplicitAdditionalProperties: 'silently-remove-extras',
    bodyCoercion: false,
  });
  service.ValidateParam({ required: true, ...schema }, value, 'body', found, true, undefined);
  return found;
}

const answered = (found: FieldErrors) =>
  fieldErrors(found as Parameters<typeof fieldErrors>[0], { query: {} });

/** Items that count how often they were looked at. */
function watchedItems(count: number): { items: unknown[]; looks: () => number } {
  let looks = 0;
  const item = {
    get name() {
      looks += 1;
      return 1;
    },
  };
  return { items: Array.from({ length: count }, () => item), looks: () => looks };
}

describe('the work a malformed request can cause', () => {
  it('refuses a list that is too long without looking at its items', () => {
    const { items, looks } = watchedItems(1001);
    expect(answered(check({ ...ofVariables, validators: { maxItems: { value: 1000 } } }, items))).toEqual([
      { loc: ['body'], msg: 'maxItems 1000', type: 'value_error' },
    ]);
    expect(looks()).toBe(0);
  });

  it('does so where the list may be null too', () => {
    const { items, looks } = watchedItems(1001);
    const nullable: TsoaRoute.PropertySchema = {
      dataType: 'union',
      subSchemas: [ofVariables, { dataType: 'enum', enums: [null] }],
      validators: { maxItems: { value: 1000 } },
    };
    expect(answered(check(nullable, items))).toEqual([
      { loc: ['body'], msg: 'maxItems 1000', type: 'value_error' },
    ]);
    // Once for the copy that each alternative gets.
    expect(looks()).toBeLessThanOrEqual(2 * 1001);
  });

  it('stops looking once enough is found', () => {
    const { items, looks } = watchedItems(1000);
    const found = check({ ...ofVariables, validators: { maxItems: { value: 1000 } } }, items);
    expect(Object.keys(found)).toHaveLength(MAX_FIELD_ERRORS);
    expect(looks()).toBeLessThanOrEqual(MAX_FIELD_ERRORS);
  });

  it('names at most so many fields, also of objects with any keys and inside alternatives', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]));
    expect(answered(check({ ref: 'Labels' }, labels))).toHaveLength(MAX_FIELD_ERRORS);
    const nullable: TsoaRoute.PropertySchema = {
      dataType: 'union',
      subSchemas: [{ ref: 'Labels' }, { dataType: 'enum', enums: [null] }],
    };
    expect(answered(check(nullable, labels))).toHaveLength(MAX_FIELD_ERRORS);
  });

  it('takes what is legal as before', () => {
    const items = Array.from({ length: 1000 }, (_, at) => ({ name: `n${at}`, unit: 'px' }));
    expect(check({ ...ofVariables, validators: { maxItems: { value: 1000 } } }, items)).toEqual({});
  });
});
