import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Gathering } from '../../../web/src/api/gathering.js';

describe('Gathering', () => {
  const passed: string[] = [];
  let gathering: Gathering;

  beforeEach(() => {
    jest.useFakeTimers();
    passed.length = 0;
    gathering = new Gathering((key) => passed.push(key.join('/')), 1000);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('passes the first on at once and the others together, each once', () => {
    for (const key of [['a'], ['b'], ['a'], ['b'], ['c', 1]]) gathering.add(key);
    expect(passed).toEqual(['a']);
    jest.advanceTimersByTime(1000);
    expect(passed).toEqual(['a', 'b', 'a', 'c/1']);
    gathering.add(['d']);
    expect(passed).toHaveLength(4);
    jest.advanceTimersByTime(1000);
    expect(passed.at(-1)).toBe('d');
  });

  it('is at once again after a pause', () => {
    gathering.add(['a']);
    jest.advanceTimersByTime(1000);
    gathering.add(['b']);
    expect(passed).toEqual(['a', 'b']);
  });

  it('passes nothing on after its end', () => {
    gathering.add(['a']);
    gathering.add(['b']);
    gathering.end();
    jest.advanceTimersByTime(5000);
    expect(passed).toEqual(['a']);
  });
});
