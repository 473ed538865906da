import { expect, it } from '@jest/globals';
import { areaOf } from '../../../web/src/app/areas.js';

it.each([
  ['/t/demo', '/t/$tenant'],
  ['/t/demo/datasets/digits', '/t/$tenant/datasets'],
  ['/t/demo/runs/4711', '/t/$tenant/training'],
  ['/t/demo/promotions', '/t/$tenant/models'],
  ['/t/other/models', undefined],
  ['/account', undefined],
])('%s belongs to %s', (pathname, area) => {
  expect(areaOf(pathname, 'demo')?.to).toBe(area);
});
