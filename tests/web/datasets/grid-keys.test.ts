import { expect, it } from '@jest/globals';
import { placeAfter } from '../../../web/src/datasets/gallery/grid-keys.js';

const WALL = { count: 23, columns: 5, rows: 3 };

it.each([
  ['ArrowRight', 7, 8],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 7, 12],
  ['ArrowDown', 19, 19],
  ['ArrowUp', 7, 2],
  ['ArrowUp', 3, 3],
  ['PageDown', 2, 17],
  ['PageDown', 17, 22],
  ['PageUp', 7, 0],
  ['Home', 17, 0],
  ['End', 2, 22],
  ['Enter', 2, null],
])('%s leads from picture %i to %p', (key, at, next) => {
  expect(placeAfter(key, at, WALL)).toBe(next);
});

it('leads nowhere on an empty wall', () => {
  expect(placeAfter('End', 0, { ...WALL, count: 0 })).toBeNull();
});
