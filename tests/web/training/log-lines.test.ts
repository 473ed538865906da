import { describe, expect, it } from '@jest/globals';
import {
  allLines,
  append,
  countLevels,
  EMPTY_LOG,
  follow,
  followedFrom,
  highlighted,
  LEVELS,
  levelOf,
  matching,
  NO_LINES,
  tailOf,
} from '../../../web/src/shared/log/log-lines.js';

describe('append', () => {
  it('joins lines that are cut between two pieces', () => {
    const log = append(append(EMPTY_LOG, 'one\ntw'), 'o\nthree');
    expect(log.lines).toEqual(['one', 'two']);
    expect(allLines(log)).toEqual(['one', 'two', 'three']);
  });

  it('keeps the last state of a line that is written over', () => {
    expect(append(EMPTY_LOG, ' 10 %\r 50 %\r100 %\r\ndone\r\n').lines).toEqual(['100 %', 'done']);
  });
});

describe('tailOf', () => {
  it('leaves out the line that it begins in', () => {
    expect(tailOf('rest of a line\nnext\n', false)).toMatchObject({ lines: ['next'], isTail: true });
  });

  it('keeps all of a log that is whole', () => {
    expect(tailOf('first\n', true)).toMatchObject({ lines: ['first'], isTail: false });
  });
});

describe('follow', () => {
  const followed = (read: string[], ...batches: string[][]) =>
    batches.reduce(follow, followedFrom(read)).lines;

  it('adds nothing twice', () => {
    expect(followed(['a', 'b', 'c'], ['b', 'c', 'd'])).toEqual(['a', 'b', 'c', 'd']);
    expect(followed(['a', 'b'], ['a', 'b'])).toEqual(['a', 'b']);
    expect(followed(['a', 'b', 'c', 'd'], ['b'], ['c'], ['d', 'e'])).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(followed(['50 %'], ['10 %\r50 %\r', 'done'])).toEqual(['50 %', 'done']);
  });

  it('adds all where nothing is the same', () => {
    expect(followed(['a'], ['b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(followed([], ['b'])).toEqual(['b']);
    expect(followed(['a', 'b', 'c'], ['a'], ['x'])).toEqual(['a', 'b', 'c', 'a', 'x']);
  });

  it('keeps lines that are the same as those before, once the stream has gone beyond what was read', () => {
    expect(followed(['a'], ['b'], ['b'], ['b', 'c'], ['c'])).toEqual(['a', 'b', 'b', 'b', 'c', 'c']);
    expect(followed(['a', 'b'], ['b', 'c'], [''], [''])).toEqual(['a', 'b', 'c', '', '']);
  });
});

it('reads levels from the words of programs', () => {
  expect(levelOf('12:00 ERROR disk full')).toBe('error');
  expect(levelOf('Traceback (most recent call last):')).toBe('error');
  expect(levelOf('ValueError: no images')).toBe('error');
  expect(levelOf('train.py:3: UserWarning: few images')).toBe('warning');
  expect(levelOf('DEBUG cache')).toBe('debug');
  expect(levelOf('Epoch 1/30 train loss 0.1 error 0.2')).toBe('info');
});

describe('countLevels', () => {
  it('looks at the added lines alone', () => {
    const first = countLevels(['ERROR', 'x'], NO_LINES);
    expect(countLevels(['ERROR', 'x', 'WARN'], first).levels).toMatchObject({
      error: 1,
      info: 1,
      warning: 1,
    });
  });

  it('counts another log anew', () => {
    const first = countLevels(['ERROR', 'x'], NO_LINES);
    expect(countLevels(['a', 'b', 'c'], first).levels).toMatchObject({ error: 0, info: 3 });
  });
});

describe('matching', () => {
  const lines = ['Epoch 1', 'ERROR out of memory', 'epoch 2'];

  it('shows all without a filter', () => {
    expect(matching(lines, { q: '', levels: new Set(LEVELS) })).toBeNull();
  });

  it('finds text whatever its case, and levels', () => {
    expect(matching(lines, { q: 'EPOCH', levels: new Set(LEVELS) })).toEqual([0, 2]);
    expect(matching(lines, { q: '', levels: new Set(['error']) })).toEqual([1]);
    expect(matching(lines, { q: 'epoch', levels: new Set(['error']) })).toEqual([]);
  });
});

it('cuts a line at its hits', () => {
  expect(highlighted('aXbxc', 'x')).toEqual([
    { text: 'a', isHit: false },
    { text: 'X', isHit: true },
    { text: 'b', isHit: false },
    { text: 'x', isHit: true },
    { text: 'c', isHit: false },
  ]);
  expect(highlighted('none', '')).toEqual([{ text: 'none', isHit: false }]);
  // A letter that gets longer in lower case would shift the places.
  expect(highlighted('İx', 'x')).toEqual([{ text: 'İx', isHit: false }]);
});
