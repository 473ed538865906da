import { expect, it } from '@jest/globals';
import { retentionClassOf } from '../../../models/tenants/retention-class.rules.js';

it.each([
  [1, 7],
  [7, 7],
  [8, 30],
  [30, 30],
  [90, 90],
  [91, 365],
  [365, 365],
  [366, 0],
  [null, 0],
])('keeps rows of %s days for at least as long, in the class of %s', (days, kept) => {
  expect(retentionClassOf(days)).toBe(kept);
});
