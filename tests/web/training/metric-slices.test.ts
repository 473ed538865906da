import { expect, it } from '@jest/globals';
import { metricSlices } from '../../../web/src/training/one/metric-slices.js';

const named = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => name(at));

it('asks for fifty metrics at once, each of them once', () => {
  const keys = named(120, (at) => `layer.${at}/gradient`);
  const slices = metricSlices(keys);
  expect(slices.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(slices.flat()).toEqual(keys);
});

it('asks for fewer where their names are long, so that the address is one that the platform takes', () => {
  const slices = metricSlices(named(60, (at) => `${'ä/'.repeat(110)}${at}`));
  expect(slices.flat()).toHaveLength(60);
  for (const keys of slices) expect(encodeURIComponent(keys.join()).length).toBeLessThan(8_000);
});

it('asks for nothing where there is no more', () => {
  expect(metricSlices([])).toEqual([]);
});
