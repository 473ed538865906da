import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { exitCodeOf, parseRunOptions } from '../../bench/harness/run-options.js';

const KNOWN = ['limits', 'sign-in-flood', 'idle-endpoints'];

describe('a run of benchmarks', () => {
  it('takes names, and those whose goals must hold', () => {
    expect(parseRunOptions(['--short', 'limits', '--strict=sign-in-flood,idle-endpoints'], KNOWN)).toEqual({
      names: ['limits'],
      strict: ['sign-in-flood', 'idle-endpoints'],
    });
  });

  it.each([['--strct=limits'], ['--strict='], ['--strict=unknown'], ['unknown']])(
    'refuses %s',
    (argument) => {
      expect(parseRunOptions([argument], KNOWN)).toBeNull();
    },
  );

  it('fails by a benchmark that failed, and by a missed goal that must hold, not by others', () => {
    const strict = ['sign-in-flood'];
    expect(exitCodeOf({ failed: [], missed: ['limits'] }, strict)).toBe(0);
    expect(exitCodeOf({ failed: [], missed: ['limits', 'sign-in-flood'] }, strict)).toBe(1);
    expect(exitCodeOf({ failed: ['limits'], missed: [] }, strict)).toBe(1);
  });

  it('holds each night to the goals that are acceptance criteria, of benchmarks that there are', () => {
    const [, strict = ''] =
      /npm run bench --silent -- --strict=(\S+)/.exec(readFileSync('.ci/run', 'utf8')) ?? [];
    expect(strict.split(',').sort()).toEqual(['idle-endpoints', 'sign-in-flood']);
    const benchmarks = readFileSync('bench/main.ts', 'utf8');
    for (const name of strict.split(',')) expect(benchmarks).toContain(`'${name}': async () =>`);
  });
});
