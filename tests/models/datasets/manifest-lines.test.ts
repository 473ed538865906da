import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestLine, manifestLine } from '../../../models/datasets/validation/manifest.rules.js';

describe('manifests', () => {
  const file = fc.record({
    path: fc.string({ minLength: 1 }),
    sha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
    size: fc.nat(),
  });

  it('have one digest line a file that another file cannot imitate', () => {
    fc.assert(
      fc.property(file, file, (a, b) => {
        const same = a.path === b.path && a.sha256 === b.sha256 && a.size === b.size;
        expect(digestLine(a) === digestLine(b)).toBe(same);
      }),
    );
  });

  it('have a digest that says nothing of annotations', () => {
    const plain = { kind: 'image' as const, key: 'k', size: 1, sha256: 's', path: 'p' };
    const annotated = { ...plain, entries: [['a.json', 3]] as const };
    expect(digestLine(annotated)).toBe(digestLine(plain));
    expect(manifestLine(annotated)).toBe(
      '{"path":"p","sha256":"s","size":1,"key":"k","kind":"image","entries":[["a.json",3]]}',
    );
  });

  it('write keys in a fixed order and leave out what is absent', () => {
    const line = manifestLine({ kind: 'image', key: 'k', size: 1, sha256: 's', path: 'p' });
    expect(line).toBe('{"path":"p","sha256":"s","size":1,"key":"k","kind":"image"}');
  });
});
