import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ociRepositoryName } from '../../../models/images/oci-repository-name.js';
import { modelNameProblem } from '../../../models/registry/model-name.rules.js';
import { assertAlias, assertTag } from '../../../models/registry/labels/label.rules.js';
import { assertUnused, usersOf } from '../../../models/registry/delete-model.rules.js';
import { assertSettable } from '../../../models/registry/stage.rules.js';

describe('model names', () => {
  it.each(['digits', 'Ziffern 0-9', 'écran (v2)', '模型', 'a.b', 'x'.repeat(128), 'summary2'])(
    'take %j',
    (name) => expect(modelNameProblem(name)).toBeNull(),
  );
  it.each([
    '',
    ' a',
    'a ',
    'a/b',
    'a:b',
    '100%',
    'a\tb',
    'a\u200bb',
    'a\u2028b',
    '\ud800',
    '.',
    '..',
    'summary',
    'x'.repeat(129),
  ])('refuse %j', (name) => expect(modelNameProblem(name)).not.toBeNull());
});

describe('keys of tags', () => {
  const set = (key: string) => () => assertTag({ key, value: '' });
  it.each(['team', 'prüfer', 'équipe 2', '車/種類', 'वर्ग', 'a.b-c:d'])('take %j', (key) =>
    expect(set(key)).not.toThrow(),
  );
  it.each(['', 'a\tb', 'a,b', '☃', '😀', 'x'.repeat(251)])('refuse %j', (key) =>
    expect(set(key)).toThrow(expect.objectContaining({ code: 'bad_request' })),
  );
});

describe('aliases', () => {
  const set = (alias: string) => () => assertAlias(alias);
  it.each(['best', 'größte', '最新', 'v', 'v2-b', 'वर्ग_1'])('take %j', (alias) =>
    expect(set(alias)).not.toThrow(),
  );
  it.each(['', 'a b', 'a/b', 'ä.b', '☃', 'v2', 'V2', 'latest', 'Latest', 'x'.repeat(256)])(
    'refuse %j',
    (alias) => expect(set(alias)).toThrow(expect.objectContaining({ code: 'bad_request' })),
  );
});

describe('repositories of models', () => {
  const NAME = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/;
  it('are named as the model where that is a valid name', () =>
    expect(ociRepositoryName('demo', 'digits-v2')).toBe('demo/digits-v2'));
  it('are valid for every name, and never shared by two', () => {
    const names = fc.string({ minLength: 1, maxLength: 128, unit: 'grapheme' });
    fc.assert(
      fc.property(names, names, (a, b) => {
        expect(ociRepositoryName('demo', a)).toMatch(NAME);
        if (a !== b) expect(ociRepositoryName('demo', a)).not.toBe(ociRepositoryName('demo', b));
      }),
    );
    for (const [a, b] of [
      ['Digits', 'digits'],
      ['a b', 'a-b'],
      ['模型', '数字'],
      ['---', '-'],
    ] as const)
      expect(ociRepositoryName('demo', a)).not.toBe(ociRepositoryName('demo', b));
  });
});

describe('stages', () => {
  it('let people set all but Production', () => {
    for (const stage of ['Archived', 'Staging', 'None']) expect(() => assertSettable(stage)).not.toThrow();
    for (const stage of ['Production', 'production', '', 'none'])
      expect(() => assertSettable(stage)).toThrow(expect.objectContaining({ code: 'unprocessable_entity' }));
  });
  it('and endpoints keep a version from being deleted, each named', () => {
    const versions = [
      { id: 'a', version: 1, stage: 'Production' as const },
      { id: 'b', version: 2, stage: 'None' as const },
      { id: 'c', version: 3, stage: 'Archived' as const },
    ];
    const users = usersOf(versions, {
      endpoints: new Map([['b', ['one', 'two']]]),
      images: new Map([['c', ['demo/m:3']]]),
      trainings: new Map([['c', ['digits-2']]]),
      promotions: new Map([[2, ['p1']]]),
      deployments: new Map([[2, ['d1']]]),
      devices: new Map([['c', ['camera']]]),
    });
    expect(users.map((user) => `${user.version} ${user.kind} ${user.name}`)).toEqual([
      '1 stage Production',
      '2 serving_endpoint one',
      '2 serving_endpoint two',
      '2 promotion p1',
      '2 deployment d1',
      '3 image demo/m:3',
      '3 device camera',
      '3 training digits-2',
    ]);
    expect(() => assertUnused(users)).toThrow(
      /version 1 is in Production; version 2 is served by endpoint one/,
    );
    expect(() => assertUnused(users.slice(-1))).toThrow('version 3 is what training digits-2 begins with');
    expect(() => assertUnused([])).not.toThrow();
  });
});
