import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyFromName, numberedKey } from '../../../models/datasets/catalog/dataset-key.rules.js';

describe('dataset ids made from names', () => {
  it('are always valid ids, also when numbered', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 1, max: 99_999 }),
        (name, n) => {
          const key = numberedKey(keyFromName(name), n);
          expect(key).toMatch(/^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
        },
      ),
    );
  });
});
