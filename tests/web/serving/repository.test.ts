import { expect, it } from '@jest/globals';
import { repositoryOf } from '../../../web/src/serving/queries.js';

it.each([
  ['registry.example:5000/demo/line-3/digits@sha256:abc', 'demo/line-3/digits'],
  ['localhost/demo/digits@sha256:abc', 'demo/digits'],
  [null, ''],
])('finds the images beside %s in %j', (imageRef, repository) => {
  expect(repositoryOf(imageRef)).toBe(repository);
});
