import { describe, expect, it } from '@jest/globals';
import { artifactFolder } from '../../../models/tracker/artifact-path.rules.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

describe('folders of artifacts', () => {
  it('have no slashes around them', () => {
    expect(['', '/', 'a/b', '//a/b//'].map(artifactFolder)).toEqual(['', '', 'a/b', 'a/b']);
  });

  it('are refused in no more time than it takes to read them', () => {
    const path = `a${'/'.repeat(1_000_000)}a`;
    expect(cpuMs(() => expect(() => artifactFolder(path)).toThrow())).toBeLessThan(NO_SQUARE_MS);
  });
});
