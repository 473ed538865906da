import { expect, it } from '@jest/globals';
import { pointedAt } from '../../../web/src/shared/pointed.js';

const SIZE = { width: 200, height: 100 };
const at = (x: number, y: number) => ({ x: x / SIZE.width, y: y / SIZE.height });

it('points at the smallest thing below the pointer, and at nothing beside all', () => {
  const boxes = [
    [0, 0, 100, 100],
    [10, 10, 30, 30],
    [90, 0, 200, 100],
  ] as const;
  expect(pointedAt(boxes, at(20, 20), SIZE)).toBe(1);
  expect(pointedAt(boxes, at(50, 50), SIZE)).toBe(0);
  expect(pointedAt(boxes, at(95, 50), SIZE)).toBe(0);
  expect(pointedAt(boxes, at(150, 50), SIZE)).toBe(2);
  expect(pointedAt(boxes.slice(0, 2), at(150, 50), SIZE)).toBeNull();
  expect(pointedAt([], at(1, 1), SIZE)).toBeNull();
});
