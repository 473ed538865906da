import { describe, expect, it } from '@jest/globals';
import { artifactFolder } from '../../../models/tracker/artifact-path.rules.js';

describe('folders of artifacts', () => {
  it('have no slashes around them', () => {
    expect(['', '/', 'a/b', '//a/b//'].map(artifactFolder)).toEqual(['', '', 'a/b', 'a/b']);
  });

  it('are refused in no more time than it takes to read them', () => {
    const begin = performance.now();
    expect(() => artifactFolder(`a${'/'.repeat(1_000_000)}a`)).toThrow();
    expect(performance.now() - begin).toBeLessThan(500);
  });
});
