import { describe, expect, it } from '@jest/globals';
import { fieldErrors, type RejectedRequest } from '../../api/http/answers/validation-fields.js';

const request = (params: Record<string, string> = {}): RejectedRequest => ({
  query: {},
  context: { params },
});
const union = (issues: unknown) =>
  `Could not match the union against any of the items. Issues: ${JSON.stringify(issues)}`;

describe('fields of a rejected request', () => {
  it('never repeats a value, also where alternatives were tried', () => {
    const message = union([
      { 'body.password': { message: 'invalid string value', value: ['SECRET'] } },
      { 'body.password': { message: 'should be one of the following; [null]', value: ['SECRET'] } },
    ]);
    const found = fieldErrors({ 'body.password': { message, value: ['SECRET'] } }, request());
    expect(found).toEqual([{ loc: ['body', 'password'], msg: 'invalid string value', type: 'value_error' }]);
  });

  it('names the input inside an alternative', () => {
    const inner = { 'body.split.seed': { message: 'min 0', value: -1 } };
    const message = union([
      inner,
      { 'body.split': { message: 'should be one of the following; [null]', value: {} } },
    ]);
    expect(fieldErrors({ 'body.split': { message } }, request())).toEqual([
      { loc: ['body', 'split', 'seed'], msg: 'must be at least 0', type: 'value_error' },
    ]);
  });

  it('keeps a place inside the body there, though alternatives name it without the body', () => {
    const message = union([
      { 'shared_defaults.$0.kind': { message: "should be one of the following; ['runtime']", value: 'x' } },
    ]);
    expect(fieldErrors({ 'body.shared_defaults.$0.kind': { message } }, request())[0]?.loc).toEqual([
      'body',
      'shared_defaults',
      0,
      'kind',
    ]);
    const sent = { ...request(), body: { shared_defaults: [{}] } };
    expect(fieldErrors({ 'shared_defaults.$0.kind': { message: 'invalid' } }, sent)[0]?.loc).toEqual([
      'body',
      'shared_defaults',
      0,
      'kind',
    ]);
  });

  it('answers without detail when the alternatives cannot be read', () => {
    expect(
      fieldErrors(
        {
          'body.a': { message: 'Could not match the union against any of the items. Issues: [{"value":"SEC' },
        },
        request(),
      ),
    ).toEqual([{ loc: ['body', 'a'], msg: 'has none of the allowed forms', type: 'value_error' }]);
  });

  it('distinguishes path parameters from query parameters', () => {
    expect(
      fieldErrors({ dataset_id: { message: 'Not match' } }, request({ dataset_id: 'a:b' }))[0]?.loc,
    ).toEqual(['path', 'dataset_id']);
    expect(fieldErrors({ page: { message: 'invalid' } }, request())[0]?.loc).toEqual(['query', 'page']);
    expect(fieldErrors({ 'query.page': { message: 'invalid' } }, request())[0]?.loc).toEqual([
      'query',
      'page',
    ]);
    expect(fieldErrors({ file: { message: 'is required' } }, request())[0]?.loc).toEqual(['body', 'file']);
  });

  it('says once which values may be chosen, and never shows a pattern', () => {
    const issue = (text: string) => ({ 'query.order': { message: text, value: 'x' } });
    const message = union([
      issue("should be one of the following; ['asc']"),
      issue("should be one of the following; ['desc']"),
      issue('should be one of the following; [null]'),
    ]);
    expect(fieldErrors({ order: { message } }, request())).toEqual([
      { loc: ['query', 'order'], msg: "must be one of 'asc', 'desc'", type: 'value_error' },
    ]);
    const single = "should be one of the following; ['a','b']";
    expect(fieldErrors({ 'body.kind': { message: single } }, request())[0]?.msg).toBe(
      "must be one of 'a', 'b'",
    );
    expect(
      fieldErrors({ id: { message: "Not match in '^(?!x$)[a-z]+$'" } }, request({ id: 'x' }))[0]?.msg,
    ).not.toContain('^');
  });

  it('cuts long messages', () => {
    expect(fieldErrors({ 'body.a': { message: 'x'.repeat(5000) } }, request())[0]?.msg).toHaveLength(300);
  });
});
