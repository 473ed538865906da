import { expect, it } from '@jest/globals';
import { performanceCurves } from '../../../web/src/models/performance/performance-curves.js';

const WORDS = { version: (version: number) => `v${version}`, threshold: 'Target' };
const at = (minute: number) => new Date(minute * 60_000).toISOString();
const POINTS = [
  { at: at(2), version: 2, accuracy: 0.7 },
  { at: at(0), version: 1, accuracy: 0.9 },
  { at: at(1), version: 1, accuracy: 0.8 },
];

it('makes a curve of each version, in the order of versions and of time', () => {
  const curves = performanceCurves(POINTS, null, WORDS);
  expect(curves.map(({ label, points }) => [label, points])).toEqual([
    [
      'v1',
      [
        { x: 0, y: 0.9 },
        { x: 60, y: 0.8 },
      ],
    ],
    ['v2', [{ x: 120, y: 0.7 }]],
  ]);
});

it('draws the threshold over the whole time, unlike any version', () => {
  const [one, two, threshold] = performanceCurves(POINTS, 0.85, WORDS);
  expect(threshold?.points).toEqual([
    { x: 0, y: 0.85 },
    { x: 120, y: 0.85 },
  ]);
  expect(threshold?.look.dash).not.toEqual([]);
  expect([one?.look, two?.look]).not.toContainEqual(threshold?.look);
});

it('has no threshold where there is nothing to hold against it', () => {
  expect(performanceCurves([], 0.85, WORDS)).toEqual([]);
});
